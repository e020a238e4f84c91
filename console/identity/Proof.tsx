// The page "Identity proof" (specification, 2.4) of the identity-proof area, shown after sign-in.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { lineRule, parseProject } from '../../records/project.ts';
import { type TokenChoices, tokenStateAt } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { Button } from '../buttons.tsx';
import { Problem, TextField } from '../Dialog.tsx';
import { openArea, type PageProps } from '../Frame.tsx';
import { LoadedState, Notice, type Outcome, PageTitle, StatusMessage } from '../Notice.tsx';
import { Operator, operator } from '../operator.tsx';
import { isDenied } from '../problems.ts';
import { type Loaded, useAction, useLoaded } from '../requests.ts';
import { refreshSession } from '../session.ts';
import { Name } from '../Text.tsx';
import { useNow } from '../times.ts';
import { AccountId, VerifyAddress } from './Account.tsx';
import { BadLink, Consent, Recognition } from './Consent.tsx';
import { RevokeTokens, shortWallet, Token } from './TokenList.tsx';
import { newToken, readTokens, type StoredToken, storeToken } from './tokenStore.ts';

/**
 * Reads for which project the link to this page asks a token, as in `/identity/?for=Acme%20DAO`.
 *
 * @returns the project; undefined if the link names none, and an empty text if it is not one name that a person can see
 */
function readProject(): string | undefined {
  const [project, ...others] = new URLSearchParams(location.search).getAll('for');
  if (project === undefined) return undefined;
  const isName = others.length === 0 && /[\p{L}\p{N}\p{P}\p{S}]/u.test(project);
  return (isName && parseProject(project)) || '';
}

const READY = 'Your token is ready. Copy it, and paste it where you were asked for it.';
const CHECKING = 'Checking whether your token was created…';
const UNLISTED = 'The list does not show your new token. Generate it again.';
const DOUBT =
  'It is not known whether your token was created. The list will show it once the connection is back.';
const DENIED = `No token was created, because the database refused it. Sign out and in again. If it is refused again, ask ${operator} for help.`;

/** Reads the user's tokens, generates new ones, and says what came of it. */
function useTokens({ backend: { db }, session: { uid } }: PageProps) {
  const loaded = useLoaded(useCallback(() => readTokens(db, uid), [db, uid]));
  const [newest, setNewest] = useState<string>();
  /** A token of which only the list can show whether it was stored. */
  const [sought, setSought] = useState<string>();
  const action = useAction();
  const [statusMessage, setStatusMessage] = useState<Outcome>({});

  function showToken(token: string): void {
    setNewest(token);
    setStatusMessage({ content: READY });
  }

  useEffect(() => {
    if (sought === undefined) return;
    setSought(undefined);
    if (loaded.value?.some(({ token }) => token === sought)) showToken(sought);
    else setStatusMessage({ content: UNLISTED, isWarning: true });
  }, [loaded.value]);

  function generate(from: Wallet, choices: TokenChoices): void {
    setStatusMessage({});
    const token = newToken();
    async function store(): Promise<void> {
      try {
        await storeToken(db, token, from, uid, choices);
      } catch (error) {
        // The message need not wait for the list.
        void loaded.reload();
        if (isDenied(error)) throw error;
        return setSought(token);
      }
      await loaded.reload();
      showToken(token);
    }
    void action.run(store, () => DENIED);
  }

  const isChecking = sought !== undefined && loaded.trouble === undefined;
  const outcome: Outcome = isChecking ? { content: CHECKING } : statusMessage;
  return { ...action, loaded, newest, sought, outcome, setStatusMessage, generate };
}

function Proof(page: PageProps) {
  const { session, backend } = page;
  const { wallet } = session;
  const [project] = useState(readProject);
  const { isBusy, problem, run, setStatusMessage, ...tokens } = useTokens(page);

  function refresh(): void {
    setStatusMessage({});
    async function check(): Promise<void> {
      const checked = await refreshSession(backend.auth);
      if (checked?.wallet === undefined)
        setStatusMessage({ content: 'Your account still has no wallet.', isWarning: true });
      else if (!checked.isVerified)
        setStatusMessage({ content: 'Your address is still not verified.', isWarning: true });
      else setStatusMessage({ content: 'Your account was checked again.' });
    }
    void run(check, () => 'Your account could not be checked. Check your network and try again.');
  }

  return (
    <div class="narrow">
      <PageTitle text="Identity proof" />
      <Lead project={project} />
      {project === '' ? <BadLink /> : <Consent project={project} />}
      {wallet === undefined && <NoWallet onCheck={refresh} />}
      {wallet !== undefined && project !== '' && (
        <Generate {...{ wallet, isBusy, project }} onGenerate={tokens.generate} />
      )}
      <Problem text={problem} />
      <StatusMessage {...tokens.outcome} />
      <LoadedState loaded={tokens.loaded} doubt={tokens.sought && DOUBT} />
      <Tokens {...page} {...tokens} onOutcome={setStatusMessage} />
      <Recognition />
      {!session.isVerified && (
        <VerifyAddress
          {...{ auth: backend.auth, email: session.email }}
          onSent={setStatusMessage}
          onCheck={refresh}
        />
      )}
      <AccountId {...session} />
    </div>
  );
}

const Lead = ({ project }: { project: string | undefined }) => (
  <p class="lead">
    {project ? (
      <>
        The link that you followed asks for a token for{' '}
        <strong>
          <Name>{project}</Name>
        </strong>
        . If you did not follow it on a page of <Name>{project}</Name>, close this page.
      </>
    ) : (
      'Prove to a platform, for example one that holds votes, that you are a verified human. Generate a token here, and paste it where a platform asks for it.'
    )}
  </p>
);

const NoWallet = ({ onCheck }: { onCheck: () => void }) => (
  <Notice title="Your account has no wallet yet" kind="warning">
    <p>
      A token represents a wallet. Finish your humanity verification with the wallet that you want
      to use. If you have done that, ask <Operator /> to add the wallet to your account. You are
      then asked for a message that you sign with the wallet, and that contains{' '}
      <a href="#account">your account’s id</a>.
    </p>
    <Button onClick={onCheck}>Check again</Button>
  </Notice>
);

interface TokensProps extends PageProps {
  readonly loaded: Loaded<StoredToken[]>;
  readonly newest: string | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

function Tokens({ backend, session, loaded, newest, onOutcome }: TokensProps) {
  const [revoking, setRevoking] = useState<readonly StoredToken[]>();
  const nowMs = useNow() + session.clockLagMs;
  const tokens = loaded.value;
  const valid = (tokens ?? []).filter(
    ({ fields }) => tokenStateAt(fields, nowMs).state === 'valid',
  );

  function endRevocation(content = ''): void {
    setRevoking(undefined);
    onOutcome({ content });
    void loaded.reload();
  }

  return (
    <>
      {tokens && (
        <section class="spaced stack" aria-labelledby="tokens">
          <div class="row apart">
            <h2 id="tokens">Your tokens</h2>
            {valid.length > 1 && (
              <Button class="small danger-quiet" icon="revoke" onClick={() => setRevoking(valid)}>
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
                  {...{ stored, wallet: session.wallet, nowMs }}
                  isNewest={stored.token === newest}
                  onRevoke={() => setRevoking([stored])}
                />
              ))}
            </ul>
          )}
        </section>
      )}
      {revoking && <RevokeTokens db={backend.db} targets={revoking} onEnd={endRevocation} />}
    </>
  );
}

interface GenerateProps {
  readonly wallet: Wallet;
  readonly isBusy: boolean;
  readonly project: string | undefined;
  readonly onGenerate: (from: Wallet, choices: TokenChoices) => void;
}

function Generate({ wallet, isBusy, project, onGenerate }: GenerateProps) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState('');

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const typed = String(new FormData(form.current ?? undefined).get('note')).trim();
    const note = typed === '' ? undefined : parseProject(typed);
    const isWrong = typed !== '' && note === undefined;
    setProblem(isWrong ? lineRule('Write the note') : '');
    if (isWrong || isBusy) return;
    onGenerate(wallet, { project, note });
    form.current?.reset();
  }

  return (
    <form ref={form} aria-busy={isBusy} onSubmit={submit}>
      <TextField
        label="Note for yourself (optional)"
        help="To tell your tokens apart. No platform sees it."
        name="note"
        problem={problem}
        onInput={() => setProblem('')}
      />
      <div class="row">
        <Button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'One moment…' : 'Generate Verification Token'}
        </Button>
        <span>
          Your wallet: <code>{shortWallet(wallet)}</code>
        </span>
      </div>
    </form>
  );
}

openArea({
  area: 'identity',
  title: 'Identity proof',
  purpose:
    'Generate a token that proves to a platform that you are a verified human. Sign in with the account that you verified yourself with.',
  Page: Proof,
});
