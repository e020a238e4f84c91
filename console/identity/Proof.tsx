// The page "Identity proof" (specification, 2.4), shown after sign-in.

import { useCallback, useState } from 'preact/hooks';
import { TOKEN_LIFETIME, tokenStateAt } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { PageProps } from '../Frame.tsx';
import { Notice, PageTitle, StatusMessage, Unreachable } from '../Notice.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { refreshSession, sendVerification } from '../session.ts';
import { useNow } from '../times.ts';
import { useLoaded } from '../useLoaded.ts';
import { NoWallet, Unverified } from './notices.tsx';
import { RevokeTokenDialog } from './RevokeTokenDialog.tsx';
import { NewToken, TokenList } from './TokenList.tsx';
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
  const [made, setMade] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [statusMessage, setStatusMessage] = useState('');
  const [wasDenied, setWasDenied] = useState(false);
  const [revoking, setRevoking] = useState<StoredToken>();
  const nowMs = useNow() + clockLagMs;
  const tokens = loaded.value?.filter((token) => !isLongExpired(token, nowMs));

  async function generate(from: Wallet): Promise<void> {
    setIsBusy(true);
    setProblem('');
    setStatusMessage('');
    setWasDenied(false);
    try {
      setMade(await storeToken(db, from, uid));
    } catch (error) {
      if (isDenied(error)) setWasDenied(true);
      else
        setProblem(
          `It is not known whether a token was made. If it was, it is listed below. ${UNREACHABLE}`,
        );
    }
    await loaded.reload();
    setIsBusy(false);
  }

  async function refresh(): Promise<void> {
    setWasDenied(false);
    setProblem('');
    try {
      await refreshSession(auth);
      setStatusMessage('Your account was checked again.');
    } catch {
      setProblem(UNREACHABLE);
    }
  }

  const newest = tokens?.find(({ token }) => token === made);
  const isNewestValid = newest && tokenStateAt(newest.fields, nowMs).state === 'valid';
  return (
    <div class="narrow">
      <PageTitle text="Identity proof" />
      <p class="lead">
        A verification token tells a platform what your wallet’s attestations say, and their
        addresses on the chain. These addresses never change and are the same for every platform.
        Platforms can recognise you by them, and anyone who guesses your wallet can confirm the
        guess. Your name, your e-mail address and the wallet’s address are not shared.
      </p>
      <p class="lead">
        Anyone who gets hold of a token can use it for {TOKEN_LIFETIME}, unless you revoke it.
      </p>
      {wallet === undefined && <NoWallet onCheck={refresh} />}
      {wallet !== undefined && (
        <button
          type="button"
          class="primary"
          aria-disabled={isBusy}
          onClick={() => isBusy || void generate(wallet)}
        >
          {isBusy ? 'Generating…' : 'Generate Verification Token'}
        </button>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      {wasDenied &&
        (session.isEmailVerified ? (
          <Notice title="No token was made" kind="problem">
            <p>
              Your account is not allowed to make tokens. Ask the people who run this service for
              help.
            </p>
            <button type="button" onClick={refresh}>
              Check again
            </button>
          </Notice>
        ) : (
          <Unverified session={session} onSend={() => sendVerification(auth)} onCheck={refresh} />
        ))}
      {newest && isNewestValid && <NewToken stored={newest} nowMs={nowMs} />}
      <StatusMessage content={statusMessage} />
      {loaded.isUnreachable && (
        <Unreachable isOutdated={tokens !== undefined} onRetry={loaded.reload} />
      )}
      {tokens === undefined && !loaded.isUnreachable && (
        <p class="loading" role="status">
          Loading your tokens…
        </p>
      )}
      {tokens && <TokenList tokens={tokens} nowMs={nowMs} onRevoke={setRevoking} />}
      {revoking && (
        <RevokeTokenDialog
          target={revoking}
          revoke={() => revokeToken(db, revoking.token)}
          onClose={(isRevoked) => {
            setRevoking(undefined);
            if (!isRevoked) return;
            setStatusMessage('The token is revoked.');
            void loaded.reload();
          }}
        />
      )}
    </div>
  );
}
