// The page "PoH API Keys" (specification, 5.3) of the admin area, shown after sign-in.

import type { Auth } from 'firebase/auth';
import { useCallback, useRef, useState } from 'preact/hooks';
import { describeUse } from '../../records/keyUse.ts';
import { Button } from '../buttons.tsx';
import { openArea, type PageProps } from '../Frame.tsx';
import { LoadedState, Notice, type Outcome, PageTitle, StatusMessage } from '../Notice.tsx';
import { Operator, OutsideLink } from '../operator.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { type Loaded, useLoaded } from '../requests.ts';
import { isSignInTooOld, refreshSession, type Session, signOutHere } from '../session.ts';
import { useNow } from '../times.ts';
import { ChangeKeyDialog } from './ChangeKeyDialog.tsx';
import { KeyList } from './KeyList.tsx';
import { type Everything, readEverything } from './keyStore.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import { type Shared, SharedProvider, site, type Task, useShared } from './shared.ts';

/** Other admins may change keys while the page is open. */
const RELOAD_MS = 60_000;

/** The keys with what the page shows beside them, and what its parts share. */
function useKeys(page: PageProps) {
  const { session, backend } = page;
  const loaded = useLoaded(
    useCallback(() => readEverything(backend.db), [backend.db]),
    RELOAD_MS,
  );
  const [task, setTask] = useState<Task>();
  const [message, setMessage] = useState<Outcome>({});
  const ownNowMs = useNow();
  const nowMs = ownNowMs + session.clockLagMs;

  const shared: Shared = {
    ...page,
    mayChange: !isSignInTooOld(session, ownNowMs),
    nowMs,
    author: { actor: session.uid, nowMs },
    keys: loaded.value?.keys ?? [],
    describeUse: ({ id }, format) => describeUse(loaded.value?.use.get(id), format),
    nameActor(actor) {
      if (actor === undefined) return 'unknown';
      if (actor === session.uid) return 'you';
      if (actor === 'cli') return 'the command line';
      return loaded.value?.admins.get(actor) ?? (actor.includes('@') ? actor : `admin ${actor}`);
    },
    begin: setTask,
    onStored: () => void loaded.reload(),
    close(content, isWarning = false) {
      setTask(undefined);
      setMessage({ content, isWarning });
      if (content !== undefined) void loaded.reload();
    },
    onDenied() {
      shared.close(refused(), true);
      // The user may no longer be an admin, which the list shows, or the sign-in may be too old.
      refreshSession(backend.auth).catch(() => undefined);
    },
    explain: (change) => (error) => {
      if (!isDenied(error)) return `It is not known whether the key was ${change}. ${UNREACHABLE}`;
      shared.onDenied();
      return '';
    },
  };
  return { loaded, task, message, shared };
}

/** A new element each time, so that a second refusal is announced too. */
const refused = () => (
  <>
    The database refused the change. If this page shows no reason, try again. If it is refused
    again, tell <Operator /> that <code>firestore.rules</code> refuses it.
  </>
);

function ApiKeys(page: PageProps) {
  const { loaded, task, message, shared } = useKeys(page);
  const { session, isSignedOut } = page;
  const wasAdmin = useRef(false);
  if (loaded.value) wasAdmin.current = true;
  return (
    <SharedProvider value={shared}>
      {isSignedOut && <PageTitle text="You are signed out" />}
      {!isSignedOut &&
        (loaded.trouble === 'denied' ? (
          <NoAdmin auth={page.backend.auth} {...session} wasAdmin={wasAdmin.current} />
        ) : (
          <Keys loaded={loaded} message={message} />
        ))}
      {/* The dialog may show a new key, so it stays even if the admin is revoked or signed out. */}
      {task?.kind === 'revoke' && <RevokeKeyDialog target={task.target} />}
      {task?.kind === 'change' && <ChangeKeyDialog target={task.target} />}
      {task?.kind === 'create' && <NewKeyDialog key={task.rotated?.hash} rotated={task.rotated} />}
    </SharedProvider>
  );
}

function Keys({ loaded, message }: { loaded: Loaded<Everything>; message: Outcome }) {
  const { backend, mayChange, begin } = useShared();
  const { keys, use } = loaded.value ?? {};
  return (
    <>
      <PageTitle text="PoH API Keys">
        {keys && mayChange && (
          <Button class="primary" onClick={() => begin({ kind: 'create', rotated: undefined })}>
            Create key
          </Button>
        )}
      </PageTitle>
      <p class="muted lead">
        Each project that looks up attestations has its own key. Only the hash and the last 4
        characters of a key are stored.
      </p>
      <StatusMessage {...message} />
      {!mayChange && (
        <Notice title="Sign in again to change anything" kind="warning">
          <p>You signed in more than 12 hours ago. You can still look at the keys.</p>
          <Button onClick={() => signOutHere(backend.auth)}>Sign in again</Button>
        </Notice>
      )}
      <LoadedState loaded={loaded} />
      {keys?.length === 0 ? (
        <p class="card empty muted">
          There are no keys yet. Create the first one for a project that will look up attestations,
          and give its developers the key and{' '}
          <OutsideLink to={`${site}/guide.html`}>the guide</OutsideLink>.
        </p>
      ) : (
        keys && use && <KeyList keys={keys} use={use} />
      )}
    </>
  );
}

interface NoAdminProps extends Pick<Session, 'email' | 'provider'> {
  readonly auth: Auth;
  /** Whether this page has shown keys to the user before. */
  readonly wasAdmin: boolean;
}

const NoAdmin = ({ auth, email, provider, wasAdmin }: NoAdminProps) => (
  <>
    <PageTitle text="PoH API Keys" />
    <Notice title={wasAdmin ? 'You are no longer an admin' : 'You are not an admin'} kind="problem">
      <p>
        The account <strong>{email}</strong> may not see or manage API keys. Ask <Operator />, or
        use another account. If you were made an admin just now, sign in again.
      </p>
      {provider === 'password' && (
        <p>
          You signed in with a password. If you are an admin who must use Google, sign in again and
          choose “Sign in with Google”.
        </p>
      )}
      <Button onClick={() => signOutHere(auth)}>Sign in again</Button>
    </Notice>
  </>
);

openArea({
  area: 'admin',
  title: 'Admin area',
  purpose: 'Manage API keys with an admin’s account.',
  Page: ApiKeys,
});
