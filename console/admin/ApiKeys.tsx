// The page "PoH API Keys" (specification, 5.3), shown after sign-in.

import type { ComponentChild } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { PageProps } from '../Frame.tsx';
import { PageTitle, StatusMessage, Unreachable } from '../Notice.tsx';
import { isSignInTooOld, refreshSession, signOutHere } from '../session.ts';
import { useNow } from '../times.ts';
import { useLoaded } from '../useLoaded.ts';
import { KeyList } from './KeyList.tsx';
import { exportKeys } from './keyExport.ts';
import { readAdminEmails, readKeys, revokeKey, type StoredKey, storeKey } from './keyStore.ts';
import {
  ChangeRefused,
  Created,
  GivenUp,
  NoKeys,
  Overdue,
  Refused,
  Revoked,
  TooOld,
} from './messages.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RevokeDialog } from './RevokeDialog.tsx';
import { actorNames, SharedProvider, type Task } from './shared.ts';

interface Props extends PageProps {
  /** Hashes of keys that may have been stored without being shown to anyone. */
  readonly neverShown: Set<string>;
}

export function ApiKeys({ backend, session, isSignedOut, onHold, neverShown }: Props) {
  const { auth, db, projectId } = backend;
  const { uid } = session;
  const keys = useLoaded<StoredKey[]>(useCallback((before) => readKeys(db, before), [db]));
  const admins = useLoaded(useCallback(() => readAdminEmails(db), [db]));
  const [task, setTask] = useState<Task>();
  const [message, setMessage] = useState<{ content?: ComponentChild; isWarning?: boolean }>({});
  const [wasRefused, setWasRefused] = useState(false);
  const [newest, setNewest] = useState<string>();
  const nowMs = useNow();
  const mayChange = !isSignInTooOld(session, nowMs);

  function begin(next: Task): void {
    setWasRefused(false);
    setTask(next);
  }

  function close(content?: ComponentChild, isWarning = false): void {
    setTask(undefined);
    setMessage({ content, isWarning });
    if (content !== undefined) void keys.reload();
  }

  /**
   * Finds out whether a write was denied because the user is no longer an admin or the sign-in is too
   * old.
   */
  async function onDenied(): Promise<void> {
    close();
    if (!(await keys.reload())) return;
    // If this fails too, the notice says that the reason is unknown.
    await refreshSession(auth).catch(() => undefined);
    setWasRefused(true);
  }

  function newKeyDialog(rotated: StoredKey | undefined): ComponentChild {
    return (
      <NewKeyDialog
        rotated={rotated}
        store={(key, details) => storeKey(db, key, details, uid, () => void keys.reload())}
        isSignedOut={() => auth.currentUser === null}
        onHold={onHold}
        onDenied={onDenied}
        onNeverShown={(hash) => neverShown.add(hash)}
        onGiveUp={(hint) => close(<GivenUp hint={hint} />, true)}
        onClose={(created) => {
          setNewest(created?.hash);
          close(created && <Created project={created.project} old={rotated} />);
        }}
      />
    );
  }

  const revokeDialog = (target: StoredKey): ComponentChild => (
    <RevokeDialog
      target={target}
      revoke={async () => {
        const stored = await revokeKey(db, target.hash, uid);
        close(<Revoked target={target} stored={stored} ownUid={uid} />);
      }}
      onCancel={close}
      onDenied={onDenied}
    />
  );

  const page = (
    <>
      <PageTitle text="PoH API Keys">
        {keys.value !== undefined && mayChange && (
          <button type="button" class="primary" onClick={() => begin({ kind: 'create' })}>
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
      {keys.isUnreachable && (
        <Unreachable isOutdated={keys.value !== undefined} onRetry={keys.reload} />
      )}
      {keys.value === undefined && !keys.isUnreachable && (
        <p class="empty" role="status">
          Loading the keys…
        </p>
      )}
      {keys.value?.length === 0 && <NoKeys />}
      {keys.value !== undefined && keys.value.length > 0 && (
        <>
          <Overdue keys={keys.value} />
          <KeyList
            keys={keys.value}
            // Other people read the file, so it names this admin too instead of saying "you".
            onExport={(found) => exportKeys(found, actorNames(undefined, admins.value))}
          />
        </>
      )}
    </>
  );

  const nameActor = actorNames(uid, admins.value);
  return (
    <SharedProvider
      value={{
        projectId,
        nameActor,
        mayChange,
        nowMs: nowMs + session.clockLagMs,
        neverShown,
        newest,
        begin,
      }}
    >
      {isSignedOut && <PageTitle text="You are signed out" />}
      {!isSignedOut && (keys.isDenied ? <Refused session={session} /> : page)}
      {/* The dialog may show a new key, so it stays even if the admin is revoked or signed out. */}
      {task?.kind === 'revoke' && revokeDialog(task.target)}
      {task &&
        task.kind !== 'revoke' &&
        newKeyDialog(task.kind === 'rotate' ? task.target : undefined)}
    </SharedProvider>
  );
}
