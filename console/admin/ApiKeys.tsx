// The page "PoH API Keys" (specification, 5.3), shown after sign-in.

import type { ComponentChild } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { PageProps } from '../Frame.tsx';
import { Unreachable } from '../Notice.tsx';
import { PageTitle } from '../PageTitle.tsx';
import { StatusMessage } from '../StatusMessage.tsx';
import { isSignInTooOld, refreshSession, signOutHere } from '../session.ts';
import { useNow } from '../times.ts';
import { useLoaded } from '../useLoaded.ts';
import { readAdminEmails } from './adminStore.ts';
import { KeyList } from './KeyList.tsx';
import { exportKeys } from './keyExport.ts';
import { readKeys, revokeKey, type StoredKey, storeKey } from './keyStore.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { actorNames } from './names.ts';
import { ChangeRefused, NoKeys, Refused, TooOld } from './notices.tsx';
import { RevokeDialog } from './RevokeDialog.tsx';
import { Created, Revoked, Unknown } from './statusMessages.tsx';

type Task = { kind: 'create' } | { kind: 'rotate' | 'revoke'; target: StoredKey };

interface Props extends PageProps {
  /** Hashes of keys that may have been stored without being shown to anyone. */
  readonly neverShown: Set<string>;
}

export function ApiKeys({ backend, session, isSignedOut, onHold, neverShown }: Props) {
  const { auth, db, projectId } = backend;
  const keys = useLoaded<StoredKey[]>(useCallback((before) => readKeys(db, before), [db]));
  const admins = useLoaded(useCallback(() => readAdminEmails(db), [db]));
  const [task, setTask] = useState<Task>();
  const [statusMessage, setStatusMessage] = useState<ComponentChild>();
  const [isWarning, setIsWarning] = useState(false);
  const [wasRefused, setWasRefused] = useState(false);
  const isTooOld = isSignInTooOld(session, useNow());
  const nameActor = actorNames(session.uid, admins.value);

  function begin(next: Task): void {
    setWasRefused(false);
    setTask(next);
  }

  function close(message?: ComponentChild, isUnsure = false): void {
    setTask(undefined);
    setIsWarning(isUnsure);
    setStatusMessage(message);
    if (message !== undefined) void keys.reload();
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

  const dialog = task && (
    <>
      {task.kind !== 'revoke' && (
        <NewKeyDialog
          rotated={task.kind === 'rotate' ? task.target : undefined}
          store={(key, details) => storeKey(db, key, details, session.uid)}
          isSignedOut={() => auth.currentUser === null}
          onHold={onHold}
          onDenied={onDenied}
          onNeverShown={(hash) => neverShown.add(hash)}
          onGiveUp={(hint) => close(<Unknown hint={hint} />, true)}
          onClose={(project) =>
            close(
              project && (
                <Created project={project} old={task.kind === 'rotate' ? task.target : undefined} />
              ),
            )
          }
        />
      )}
      {task.kind === 'revoke' && (
        <RevokeDialog
          target={task.target}
          nameActor={nameActor}
          revoke={() => revokeKey(db, task.target.hash, session.uid)}
          onClose={(revoked) =>
            close(
              revoked && <Revoked revoked={revoked} ownUid={session.uid} nameActor={nameActor} />,
            )
          }
          onDenied={onDenied}
        />
      )}
    </>
  );

  // The dialog may show a new key, so it stays even if the admin is revoked or signed out.
  if (isSignedOut) return [<PageTitle key="signed out" text="You are signed out" />, dialog];
  if (keys.isDenied) return [<Refused key="refused" session={session} />, dialog];
  return [
    <div key="page">
      <PageTitle text="PoH API Keys">
        {keys.value !== undefined && !isTooOld && (
          <button type="button" class="primary" onClick={() => begin({ kind: 'create' })}>
            Create key
          </button>
        )}
      </PageTitle>
      <p class="muted lead">
        Each project that looks up attestations has its own key. Only the hash of a key is stored.
      </p>
      <StatusMessage content={statusMessage} isWarning={isWarning} />
      {isTooOld && <TooOld onSignIn={() => signOutHere(auth)} />}
      {wasRefused && !isTooOld && <ChangeRefused />}
      {keys.isUnreachable && (
        <Unreachable isOutdated={keys.value !== undefined} onRetry={keys.reload} />
      )}
      {keys.value === undefined && !keys.isUnreachable && (
        <p class="loading" role="status">
          Loading the keys…
        </p>
      )}
      {keys.value?.length === 0 && <NoKeys />}
      {keys.value !== undefined && keys.value.length > 0 && (
        <KeyList
          keys={keys.value}
          nameActor={nameActor}
          projectId={projectId}
          mayChange={!isTooOld}
          neverShown={neverShown}
          // Other people read the file, so it names this admin too instead of saying "you".
          onExport={(found) => exportKeys(found, actorNames(undefined, admins.value))}
          onRotate={(target) => begin({ kind: 'rotate', target })}
          onRevoke={(target) => begin({ kind: 'revoke', target })}
        />
      )}
    </div>,
    dialog,
  ];
}
