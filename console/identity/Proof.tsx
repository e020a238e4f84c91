// The page "Identity proof" (specification, 2.4) of the identity-proof area, shown after sign-in.

import type { Firestore } from 'firebase/firestore/lite';
import { useCallback, useRef, useState } from 'preact/hooks';
import { TOKEN_LIFETIME } from '../../contract/endpoint.ts';
import { TOKEN_LIFETIME_MS, tokenStateAt } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { FormDialog, Problem } from '../Dialog.tsx';
import { Operators, openArea, type PageProps } from '../Frame.tsx';
import { LoadedState, Notice, type Outcome, PageTitle, StatusMessage } from '../Notice.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { useAction, useLoaded } from '../requests.ts';
import { refreshSession } from '../session.ts';
import { formatTime, useNow } from '../times.ts';
import { readTokens, revokeToken, type StoredToken, storeToken } from './tokenStore.ts';

/** Enough of an address for its owner to recognise it, for example "CcY6…WCf2". */
const shortWallet = (wallet: string): string => `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;

function Proof({ backend: { auth, db }, session }: PageProps) {
  const { uid, wallet, clockLagMs } = session;
  const loaded = useLoaded(useCallback(() => readTokens(db, uid), [db, uid]));
  const [newest, setNewest] = useState<string>();
  const { isBusy, problem, run } = useAction();
  const [statusMessage, setStatusMessage] = useState<Outcome>({});
  const accountId = useRef<HTMLElement>(null);
  const [revoking, setRevoking] = useState<readonly StoredToken[]>();
  const nowMs = useNow() + clockLagMs;
  const tokens = loaded.value;
  const valid = (tokens ?? []).filter(
    ({ fields }) => tokenStateAt(fields, nowMs).state === 'valid',
  );

  /** @param failed what to say if the action fails, except if the database refuses it */
  function act(action: () => Promise<Outcome>, failed: string): void {
    setStatusMessage({});
    void run(
      async () => setStatusMessage(await action()),
      (error) => (isDenied(error) ? DENIED : failed),
    );
  }

  const generate = (from: Wallet): void =>
    act(async () => {
      const token = await storeToken(db, from, uid).catch((error) => {
        // The message need not wait for the list.
        void loaded.reload();
        throw error;
      });
      setNewest(token);
      await loaded.reload();
      return {
        content: 'Your token is ready. Copy it, and paste it where the platform asks for it.',
      };
    }, 'It is not known whether a token was created. Reload this page, and generate another one only if the list has none of this minute.');

  const refresh = (): void =>
    act(async () => {
      const checked = await refreshSession(auth);
      if (checked?.wallet === undefined)
        return { content: 'Your account still has no wallet.', isWarning: true };
      return { content: 'Your account was checked again.' };
    }, 'Your account could not be checked. Check your network and try again.');

  function endRevocation(message = ''): void {
    setRevoking(undefined);
    setStatusMessage({ content: message });
    void loaded.reload();
  }

  return (
    <div class="narrow">
      <PageTitle text="Identity proof" />
      <p class="lead">
        Prove to a platform, for example one that holds votes, that you are a verified human.
        Generate a token here, and paste it where the platform asks for it.
      </p>
      <dl class="card notice">
        <dt>The platform sees</dt>
        <dd>
          that you are a verified human, which proposals you voted on or supported, shares that you
          received, and polls that you voted in.
        </dd>
        <dt>It does not see</dt>
        <dd>how you voted, your name or your e-mail address.</dd>
        <dt>It may find out</dt>
        <dd>
          your wallet, and that you are the same person on another platform.{' '}
          <a href="#recognise">How?</a>
        </dd>
        <dt>For how long</dt>
        <dd>
          Anyone who has the token can use it for {TOKEN_LIFETIME}, unless you revoke it. A platform
          may keep what it has seen. Once it knows your wallet, it may look you up without a token.
        </dd>
      </dl>
      {wallet === undefined ? (
        <Notice title="Your account has no wallet yet" kind="warning">
          <p>
            A token represents a wallet. Finish your humanity verification with the wallet that you
            want to use. If you have done that, ask <Operators /> to add the wallet to your account.
            They ask for a message that you sign with the wallet, and that contains{' '}
            <a href="#account">your account’s id</a>.
          </p>
          <Button onClick={refresh}>Check again</Button>
        </Notice>
      ) : (
        <div class="row">
          <Button class="primary" aria-disabled={isBusy} onClick={() => generate(wallet)}>
            {isBusy ? 'One moment…' : 'Generate Verification Token'}
          </Button>
          <span>
            Your wallet: <code>{shortWallet(wallet)}</code>
          </span>
        </div>
      )}
      <Problem text={problem} />
      <StatusMessage {...statusMessage} />
      <LoadedState loaded={loaded} />
      {tokens && (
        <section class="spaced stack" aria-labelledby="tokens">
          <div class="row apart">
            <h2 id="tokens">Your tokens</h2>
            {valid.length > 1 && (
              <Button class="small danger-quiet" onClick={() => setRevoking(valid)}>
                Revoke all
              </Button>
            )}
          </div>
          {tokens.length === 0 ? (
            <p class="card empty muted">You have no tokens.</p>
          ) : (
            <ul class="card">
              {tokens.map((stored) => (
                <Token
                  key={stored.token}
                  {...{ stored, wallet, nowMs }}
                  isNewest={stored.token === newest}
                  onRevoke={() => setRevoking([stored])}
                />
              ))}
            </ul>
          )}
        </section>
      )}
      <section class="spaced stack" id="recognise">
        <h2>How a platform may recognise you</h2>
        <p>
          What the platform sees are records about your wallet, each with an address on the chain.
          These addresses never change and are the same for every platform. Platforms can recognise
          you by them, and the chain’s public transactions may show your wallet.
        </p>
      </section>
      {/* Who has a wallet does not need it. */}
      <details class="spaced stack" id="account" open={wallet === undefined}>
        <summary>Your account’s id, to add or change a wallet</summary>
        <div class="row">
          <code ref={accountId}>{uid}</code>
          <CopyButton from={accountId} style="small" label="Copy your account’s id">
            Copy
          </CopyButton>
        </div>
        <p class="spaced">
          To add a wallet to your account, the people who run this service need a message that you
          sign with it and that contains this id. Do not sign such a message with another id, which
          would give your wallet to somebody else’s account.
        </p>
      </details>
      {revoking && <RevokeTokens db={db} targets={revoking} onEnd={endRevocation} />}
    </div>
  );
}

interface TokenProps {
  readonly stored: StoredToken;
  /** The account's wallet, if it has one. */
  readonly wallet: string | undefined;
  readonly isNewest: boolean;
  readonly nowMs: number;
  readonly onRevoke: () => void;
}

function Token({ stored, wallet, isNewest, nowMs, onRevoke }: TokenProps) {
  const shown = useRef<HTMLElement>(null);
  const { token, fields, createdAt } = stored;
  const { state } = tokenStateAt(fields, nowMs);
  const isValid = state === 'valid';
  const isOther = stored.wallet !== undefined && stored.wallet !== wallet;
  const created =
    createdAt === undefined ? 'created at an unknown time' : `created ${formatTime(createdAt)}`;
  const end = formatTime((createdAt ?? nowMs) + TOKEN_LIFETIME_MS);
  return (
    <li class="row">
      <div class="what">
        <code ref={shown}>{token}</code>
        <small>
          {created}
          {isValid && `, valid until ${end}`}
        </small>
        {stored.wallet !== undefined && (
          <small>
            for the wallet <code>{shortWallet(stored.wallet)}</code>
            {isOther && <strong>, which your account no longer has</strong>}
          </small>
        )}
      </div>
      <span class={isValid ? 'badge good' : 'badge'}>{isValid && isNewest ? 'new' : state}</span>
      {isValid && (
        <div class="row">
          <CopyButton
            from={shown}
            style={isNewest ? 'small primary' : 'small'}
            label={`Copy the token ${created}`}
          >
            Copy
          </CopyButton>
          <Button
            class="small danger-quiet"
            aria-label={`Revoke the token ${created}`}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

const DENIED =
  'No token was created, because the database refused it. Sign out and in again. If it is refused again, ask the people who run this service for help.';

interface RevokeProps {
  readonly db: Firestore;
  readonly targets: readonly StoredToken[];
  /** @param message the outcome, unless the user cancelled */
  readonly onEnd: (message?: string) => void;
}

/** Revoking is final, so the user confirms it. */
function RevokeTokens({ db, targets, onEnd }: RevokeProps) {
  const { isBusy, problem, run } = useAction();
  const isOne = targets.length === 1;

  async function revoke(): Promise<void> {
    await Promise.all(targets.map(({ token }) => revokeToken(db, token)));
    onEnd(isOne ? 'The token is revoked.' : `The ${targets.length} tokens are revoked.`);
  }

  const describe = (error: unknown): string =>
    isDenied(error)
      ? 'The database refused it. Close this dialog. If the list still shows a valid token, ask the people who run this service to revoke it.'
      : `It is not known whether the database did it. ${UNREACHABLE}`;

  return (
    <FormDialog
      title={isOne ? 'Revoke this token?' : `Revoke all ${targets.length} valid tokens?`}
      isBusy={isBusy}
      button={[isOne ? 'Revoke token' : 'Revoke all', 'Revoking…', 'danger']}
      onSubmit={() => run(revoke, describe)}
      onCancel={onEnd}
    >
      {targets.map(({ token, createdAt }) => (
        <p key={token}>
          <code>{token}</code>
          {createdAt !== undefined && <small>Created {formatTime(createdAt)}</small>}
        </p>
      ))}
      <p>
        Platforms can then no longer look you up with {isOne ? 'it' : 'them'}, but may keep what
        they have seen. This cannot be undone.
      </p>
      <Problem text={problem} />
    </FormDialog>
  );
}

openArea({
  area: 'identity',
  title: 'Identity proof',
  purpose:
    'Generate a token that proves to a platform that you are a verified human. Sign in with the account that you verified yourself with.',
  Page: Proof,
});
