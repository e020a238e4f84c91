// The page "PoH API Keys" (specification, 5.3) of the admin area, shown after sign-in.

import type { ComponentChild } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { openArea, type PageProps } from '../Frame.tsx';
import { LoadedState, PageTitle, StatusMessage } from '../Notice.tsx';
import { useLoaded } from '../requests.ts';
import { isSignInTooOld, refreshSession, signOutHere } from '../session.ts';
import { useNow } from '../times.ts';
import { KeyList } from './KeyList.tsx';
import { exportKeys } from './keyExport.ts';
import { readAdminEmails, readKeys, type StoredKey } from './keyStore.ts';
import { ChangeRefused, NoKeys, Refused, TooOld } from './messages.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import { actorNames, type Shared, SharedProvider, type Task } from './shared.ts';

function ApiKeys(page: PageProps) {
  const { session, isSignedOut } = page;
  const { auth, db } = page.backend;
  const keys = useLoaded<StoredKey[]>(useCallback((before) => readKeys(db, before), [db]));
  const admins = useLoaded(useCallback(() => readAdminEmails(db), [db]));
  const [task, setTask] = useState<Task>();
  const [message, setMessage] = useState<{ content?: ComponentChild; isWarning?: boolean }>({});
  const [wasRefused, setWasRefused] = useState(false);
  const [newest, setNewest] = useState<string>();
  const nowMs = useNow();
  const mayChange = !isSignInTooOld(session, nowMs);

  const shared: Shared = {
    ...page,
    nameActor: actorNames(session.uid, admins.value),
    mayChange,
    nowMs: nowMs + session.clockLagMs,
    newest,
    begin(next) {
      setWasRefused(false);
      setTask(next);
    },
    onStored(hash) {
      setNewest(hash);
      void keys.reload();
    },
    close(content, isWarning = false) {
      setTask(undefined);
      setMessage({ content, isWarning });
      if (content !== undefined) void keys.reload();
    },
    /** The user may no longer be an admin, or the sign-in may be too old. */
    async onDenied() {
      shared.close();
      if (!(await keys.reload())) return;
      // If this fails too, the notice says that the reason is unknown.
      await refreshSession(auth).catch(() => undefined);
      setWasRefused(true);
    },
  };

  const list = keys.value ?? [];
  const content = (
    <>
      <PageTitle text="PoH API Keys">
        {keys.value !== undefined && mayChange && (
          <button type="button" class="primary" onClick={() => shared.begin({ kind: 'create' })}>
            Create key
          </button>
        )}
      </PageTitle>
      <p class="muted lead">
        Each project that looks up attestations has its own key. Only the hash of a key is stored.
      </p>
      <StatusMessage {...message} />
      {!mayChange && <TooOld onSignIn={() => signOutHere(auth)} />}
      {wasRefused && mayChange && <ChangeRefused />}
      <LoadedState loaded={keys} what=" the keys" />
      {keys.value?.length === 0 && <NoKeys />}
      {list.length > 0 && (
        <KeyList
          keys={list}
          // Other people read the file, so it names this admin too instead of saying "you".
          onExport={(found) => exportKeys(found, actorNames(undefined, admins.value))}
        />
      )}
    </>
  );

  return (
    <SharedProvider value={shared}>
      {isSignedOut && <PageTitle text="You are signed out" />}
      {!isSignedOut && (keys.isDenied ? <Refused session={session} /> : content)}
      {/* The dialog may show a new key, so it stays even if the admin is revoked or signed out. */}
      {task?.kind === 'revoke' && <RevokeKeyDialog target={task.target} />}
      {task?.kind === 'create' && <NewKeyDialog rotated={undefined} />}
      {task?.kind === 'rotate' && <NewKeyDialog rotated={task.target} />}
    </SharedProvider>
  );
}

openArea({
  area: 'admin',
  title: 'Admin area',
  purpose: 'Manage API keys with an admin’s account.',
  Page: ApiKeys,
});
