// The page "Identity proof" (specification, 2.4), once somebody is signed in.

import { useCallback, useState } from 'preact/hooks';
import { tokenStateAt } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { Backend } from '../backend.ts';
import { News } from '../News.tsx';
import { Notice, Unreachable } from '../Notice.tsx';
import { PageTitle } from '../PageTitle.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { refreshSession, type Session, sendVerification } from '../session.ts';
import { useNow } from '../times.ts';
import { useStored } from '../useStored.ts';
import { NoWallet, Unverified } from './notices.tsx';
import { RevokeTokenDialog } from './RevokeTokenDialog.tsx';
import { NewToken, TokenList } from './TokenList.tsx';
import { readTokens, revokeToken, type StoredToken, storeToken } from './tokenStore.ts';

export function Proof({ backend, session }: { backend: Backend; session: Session }) {
  const { auth, db } = backend;
  const { uid, wallet } = session;
  const { value: tokens, ...stored } = useStored(useCallback(() => readTokens(db, uid), [db, uid]));
  const [made, setMade] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [news, setNews] = useState('');
  const [wasDenied, setWasDenied] = useState(false);
  const [leaving, setLeaving] = useState<StoredToken>();
  // This machine's clock may be slow: it is not earlier than any of the tokens.
  const nowMs = Math.max(useNow(), ...(tokens ?? []).map(({ createdAt = 0 }) => createdAt));

  async function generate(from: Wallet): Promise<void> {
    setIsBusy(true);
    setProblem('');
    setNews('');
    setWasDenied(false);
    try {
      setMade(await storeToken(db, from, uid));
    } catch (error) {
      if (isDenied(error)) setWasDenied(true);
      else
        setProblem(
          `It is not known whether a token was made; if so, it is listed below. ${UNREACHABLE}`,
        );
    }
    await stored.reload();
    setIsBusy(false);
  }

  async function refresh(): Promise<void> {
    setWasDenied(false);
    setProblem('');
    try {
      await refreshSession(auth);
      setNews('Your account was looked up again.');
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
        A platform to which you give a verification token learns what your wallet’s attestations
        say: that you are a verified human, and what you voted for and supported. It does not learn
        who you are or which wallet is yours, and the token lives for 24 hours, or until you revoke
        it.
      </p>
      {wallet === undefined && <NoWallet onCheck={refresh} />}
      {wallet !== undefined && (
        <button
          type="button"
          class="primary big"
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
            <p>Your account may not make tokens. Ask the people who run this service for help.</p>
            <button type="button" onClick={refresh}>
              Check again
            </button>
          </Notice>
        ) : (
          <Unverified session={session} onSend={() => sendVerification(auth)} onCheck={refresh} />
        ))}
      {newest && isNewestValid && <NewToken stored={newest} nowMs={nowMs} />}
      <News text={news} />
      {stored.isUnreachable && (
        <Unreachable isOutdated={tokens !== undefined} onRetry={stored.reload} />
      )}
      {tokens === undefined && !stored.isUnreachable && (
        <p class="loading" role="status">
          Loading your tokens…
        </p>
      )}
      {tokens && <TokenList tokens={tokens} nowMs={nowMs} onRevoke={setLeaving} />}
      {leaving && (
        <RevokeTokenDialog
          revoke={() => revokeToken(db, leaving.token)}
          onClose={(isRevoked) => {
            setLeaving(undefined);
            if (!isRevoked) return;
            setNews('The token is revoked.');
            void stored.reload();
          }}
        />
      )}
    </div>
  );
}
