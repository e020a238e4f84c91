// What a person agrees to with a token. All texts about it are in this file.

import { TOKEN_LIFETIME } from '../../contract/endpoint.ts';
import { ATTESTATION_TYPES } from '../../contract/result.ts';
import { Notice } from '../Notice.tsx';
import { Operator } from '../operator.tsx';
import { Name } from '../Text.tsx';

const SEEN = new Intl.ListFormat('en').format(
  Object.values(ATTESTATION_TYPES).map(({ seen }) => seen),
);

/** @param project for whom the link asks, if it names a project */
export const Consent = ({ project }: { readonly project: string | undefined }) => (
  <dl class="card notice">
    <dt>Who can use the token</dt>
    <dd>
      {project === undefined ? (
        <>Any platform, and anyone else who gets it,</>
      ) : (
        <>
          <strong>
            Only <Name>{project}</Name>
          </strong>
          ,
        </>
      )}{' '}
      any number of times, for {TOKEN_LIFETIME} or until you revoke it. Whoever has it counts as
      you. So paste it only on {project === undefined ? 'the page' : 'a page'} of{' '}
      {project === undefined ? 'a platform that you trust' : <Name>{project}</Name>}, and give it to
      nobody else.
    </dd>
    <dt>A platform sees with it</dt>
    <dd>{SEEN}, and when.</dd>
    <dt>It does not see</dt>
    <dd>how you voted, your name or your e-mail address.</dd>
    <dt>It may find out</dt>
    <dd>
      your wallet, and that you are the same person on another platform.{' '}
      <a href="#recognise">How?</a>
    </dd>
    <dt>What a token does not control</dt>
    <dd>
      A platform may keep what it has seen. And if <Operator /> trusts it with that, it can look you
      up by your e-mail address or wallet without a token, at any time. To end lookups by your
      e-mail address, ask <Operator /> to remove the wallet from your account. Lookups by your
      wallet cannot be ended, because the chain is public.
    </dd>
  </dl>
);

/** For a link whose `for` is not the name of one project. */
export const BadLink = () => (
  <Notice title="This link does not work" kind="problem">
    <p>
      It should say which platform needs a token of you, but it names none. Go back to where you
      found it, and ask there for the right link. Do not paste a token on a page that you do not
      trust.
    </p>
    <a href="/identity/">Generate a token that any platform can use</a>
  </Notice>
);

export const Recognition = () => (
  <section class="spaced stack" id="recognise">
    <h2>How a platform may recognise you</h2>
    <p>
      A platform sees records about your wallet, each with an address on the chain. These addresses
      never change and are the same for every platform. Platforms can recognise you by them, and the
      chain’s public transactions may show your wallet.
    </p>
  </section>
);
