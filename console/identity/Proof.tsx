// The page "Identity proof" (specification, 2.4), shown after sign-in.

import { useCallback, useState } from 'preact/hooks';
import { TOKEN_LIFETIME } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { PageProps } from '../Frame.tsx';
import { Notice, PageTitle, StatusMessage, Unreachable } from '../Notice.tsx';
import { isDenied, mailProblem } from '../problems.ts';
import { refreshSession, type Session, sendVerification } from '../session.ts';
import { useNow } from '../times.ts';
import { useLoaded } from '../useLoaded.ts';
import { RevokeDialog, shortWallet, TokenList } from './TokenList.tsx';
import {
  isLongExpired,
  readTokens,
  revokeToken,
  type StoredToken,
  storeToken,
} from './tokenStore.ts';

export function Proof({ backend, session }: PageProps) {
  const { auth, db } = backend;
  const { uid, wallet, clockLagMs } = session;
  const loaded = useLoaded(useCallback(() => readTokens(db, uid), [db, uid]));
  const [newest, setNewest] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [statusMessage, setStatusMessage] = useState('');
  const [wasDenied, setWasDenied] = useState(false);
  const [revoking, setRevoking] = useState<readonly StoredToken[]>();
  const nowMs = useNow() + clockLagMs;
  const tokens = loaded.value?.filter((token) => !isLongExpired(token, nowMs));

  async function generate(from: Wallet): Promise<void> {
    setIsBusy(true);
    setProblem('');
    setStatusMessage('');
    setWasDenied(false);
    try {
      setNewest(await storeToken(db, from, uid));
      await loaded.reload();
      setStatusMessage(
        'Your token is ready. Copy it, and paste it where the platform asks for it.',
      );
    } catch (error) {
      if (isDenied(error)) setWasDenied(true);
      else
        setProblem(
          'It is not known whether a token was created. If it was, it is listed below. If not, try again.',
        );
      await loaded.reload();
    }
    setIsBusy(false);
  }

  async function refresh(): Promise<void> {
    setWasDenied(false);
    setProblem('');
    try {
      await refreshSession(auth);
      setStatusMessage('Your account was checked again.');
    } catch {
      setProblem('Your account could not be checked. Check your network and try again.');
    }
  }

  return (
    <div class="narrow">
      <PageTitle text="Identity proof" />
      <p class="lead">
        Anyone who gets hold of a token can use it for {TOKEN_LIFETIME}, unless you revoke it.{' '}
        <a href="#learns">What a platform learns</a>
      </p>
      {wallet === undefined ? (
        <NoWallet onCheck={refresh} />
      ) : (
        <div class="row">
          <button
            type="button"
            class="primary"
            aria-disabled={isBusy}
            onClick={() => isBusy || void generate(wallet)}
          >
            {isBusy ? 'Generating…' : 'Generate Verification Token'}
          </button>
          <span>
            Your wallet: <code>{shortWallet(wallet)}</code>
          </span>
        </div>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      {wasDenied &&
        (session.isEmailVerified ? (
          <Notice title="No token was created" kind="problem">
            <p>
              Your account is not allowed to create tokens. Ask the people who run this service for
              help.
            </p>
            <button type="button" onClick={refresh}>
              Check again
            </button>
          </Notice>
        ) : (
          <Unverified session={session} onSend={() => sendVerification(auth)} onCheck={refresh} />
        ))}
      <StatusMessage content={statusMessage} />
      {loaded.isUnreachable && (
        <Unreachable isOutdated={tokens !== undefined} onRetry={loaded.reload} />
      )}
      {tokens === undefined && !loaded.isUnreachable && (
        <p class="empty" role="status">
          Loading your tokens…
        </p>
      )}
      {tokens && (
        <TokenList
          tokens={tokens}
          wallet={wallet}
          newest={newest}
          nowMs={nowMs}
          onRevoke={setRevoking}
        />
      )}
      <section class="section" id="learns">
        <h2>What a platform learns</h2>
        <p>
          A platform that has your token learns what your wallet’s attestations say, and their
          addresses on the chain. These addresses never change and are the same for every platform.
          Platforms can recognise you by them, and anyone who guesses your wallet can confirm the
          guess. Your name, your e-mail address and the wallet’s address are not shared.
        </p>
      </section>
      {revoking && (
        <RevokeDialog
          targets={revoking}
          revoke={async () => {
            await Promise.all(revoking.map(({ token }) => revokeToken(db, token)));
            setRevoking(undefined);
            setStatusMessage(
              revoking.length === 1
                ? 'The token is revoked.'
                : `The ${revoking.length} tokens are revoked.`,
            );
            void loaded.reload();
          }}
          onCancel={() => {
            setRevoking(undefined);
            void loaded.reload();
          }}
        />
      )}
    </div>
  );
}

const NoWallet = ({ onCheck }: { onCheck: () => void }) => (
  <Notice title="Your account has no wallet yet" kind="warning">
    <p>
      A token represents a wallet. Finish your humanity verification with the wallet that you want
      to use. If you have done that, ask the people who run this service to add the wallet to your
      account.
    </p>
    <button type="button" onClick={onCheck}>
      Check again
    </button>
  </Notice>
);

interface UnverifiedProps {
  readonly session: Session;
  readonly onSend: () => Promise<void>;
  readonly onCheck: () => void;
}

function Unverified({ session, onSend, onCheck }: UnverifiedProps) {
  const [outcome, setOutcome] = useState('');
  const send = (): Promise<void> =>
    onSend().then(
      () => setOutcome('We have sent the e-mail.'),
      (error: unknown) => setOutcome(mailProblem(error)),
    );
  return (
    <Notice title="Verify your e-mail address first" kind="warning">
      <p>
        Only an account whose address is verified may create tokens. Open the link in the e-mail
        that we send to <strong>{session.email}</strong>, then come back and check again.
      </p>
      <div class="row">
        <button type="button" onClick={send}>
          Send the e-mail
        </button>
        <button type="button" onClick={onCheck}>
          Check again
        </button>
      </div>
      <p role="status">{outcome}</p>
    </Notice>
  );
}
