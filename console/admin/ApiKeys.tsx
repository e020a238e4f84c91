// The page "PoH API Keys" (specification, 5.3) of the admin area, shown after sign-in.

import type { Auth } from 'firebase/auth';
import { useCallback, useState } from 'preact/hooks';
import { Button } from '../buttons.tsx';
import { openArea, type PageProps } from '../Frame.tsx';
import { LoadedState, Notice, type Outcome, PageTitle, StatusMessage } from '../Notice.tsx';
import { useLoaded } from '../requests.ts';
import { isSignInTooOld, refreshSession, type Session, signOutHere } from '../session.ts';
import { useNow } from '../times.ts';
import { KeyList } from './KeyList.tsx';
import { readAdminEmails, readKeys } from './keyStore.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import { type Shared, SharedProvider, site, type Task } from './shared.ts';

function ApiKeys(page: PageProps) {
  const { session, isSignedOut } = page;
  const { auth, db } = page.backend;
  const keys = useLoaded(useCallback(() => readKeys(db), [db]));
  const admins = useLoaded(useCallback(() => readAdminEmails(db), [db]));
  const [task, setTask] = useState<Task>();
  const [message, setMessage] = useState<Outcome>({});
  const nowMs = useNow();
  const mayChange = !isSignInTooOld(session, nowMs);

  const shared: Shared = {
    ...page,
    mayChange,
    nowMs: nowMs + session.clockLagMs,
    nameActor(actor) {
      if (actor === undefined) return 'unknown';
      if (actor === session.uid) return 'you';
      if (actor === 'cli') return 'the command line';
      return admins.value?.get(actor) ?? (actor.includes('@') ? actor : `admin ${actor}`);
    },
    begin: setTask,
    onStored: () => void keys.reload(),
    close(content, isWarning = false) {
      setTask(undefined);
      setMessage({ content, isWarning });
      if (content !== undefined) void keys.reload();
    },
    onDenied() {
      shared.close(
        <>
          The database refused the change. If this page shows no reason, try again. If it is refused
          again, tell the people who run this service that <code>firestore.rules</code> refuses it.
        </>,
        true,
      );
      // The user may no longer be an admin, which the list shows, or the sign-in may be too old.
      refreshSession(auth).catch(() => undefined);
    },
  };

  const content = (
    <>
      <PageTitle text="PoH API Keys">
        {keys.value && mayChange && (
          <Button class="primary" onClick={() => setTask({ kind: 'create', rotated: undefined })}>
            Create key
          </Button>
        )}
      </PageTitle>
      <p class="muted lead">
        Each project that looks up attestations has its own key. Only the hash of a key is stored.
      </p>
      <StatusMessage {...message} />
      {!mayChange && (
        <Notice title="Sign in again to change anything" kind="warning">
          <p>You signed in more than 12 hours ago. You can still look at the keys.</p>
          <Button onClick={() => signOutHere(auth)}>Sign in again</Button>
        </Notice>
      )}
      <LoadedState loaded={keys} />
      {keys.value?.length === 0 ? (
        <p class="card empty muted">
          There are no keys yet. Create the first one for a project that will look up attestations,
          and give its developers the key and <a href={`${site}/guide.html`}>the guide</a>.
        </p>
      ) : (
        keys.value && <KeyList keys={keys.value} />
      )}
    </>
  );

  return (
    <SharedProvider value={shared}>
      {isSignedOut && <PageTitle text="You are signed out" />}
      {!isSignedOut &&
        (keys.trouble === 'denied' ? <NoAdmin auth={auth} email={session.email} /> : content)}
      {/* The dialog may show a new key, so it stays even if the admin is revoked or signed out. */}
      {task?.kind === 'revoke' && <RevokeKeyDialog target={task.target} />}
      {task?.kind === 'create' && <NewKeyDialog rotated={task.rotated} />}
    </SharedProvider>
  );
}

const NoAdmin = ({ auth, email }: Pick<Session, 'email'> & { readonly auth: Auth }) => (
  <>
    <PageTitle text="PoH API Keys" />
    <Notice title="You are not an admin" kind="problem">
      <p>
        The account <strong>{email}</strong> may not see or manage API keys. Ask the people who run
        this service to make you an admin with <code>npm run -s admin -- admins grant {email}</code>
        , or sign out and use another account. If they made you one just now, sign in again.
      </p>
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
