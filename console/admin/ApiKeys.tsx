// The page "PoH API Keys" (specification, 5.3), once somebody is signed in.

import { useCallback, useState } from 'preact/hooks';
import type { Backend } from '../backend.ts';
import { News } from '../News.tsx';
import { Unreachable } from '../Notice.tsx';
import { PageTitle } from '../PageTitle.tsx';
import { isSignInTooOld, type Session, signOut } from '../session.ts';
import { formatTime, useNow } from '../times.ts';
import { useStored } from '../useStored.ts';
import { KeyHistory } from './KeyHistory.tsx';
import { KeyTable } from './KeyTable.tsx';
import { readKeys, revokeKey, type StoredKey, storeKey } from './keyStore.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { nameActor, nameProject } from './names.ts';
import { NoKeys, Refused, TooOld } from './notices.tsx';
import { RevokeDialog } from './RevokeDialog.tsx';

type Task = { kind: 'create' } | { kind: 'rotate' | 'revoke'; stored: StoredKey };

export function ApiKeys({ backend, session }: { backend: Backend; session: Session }) {
  const { auth, db } = backend;
  const { value: keys, ...stored } = useStored(useCallback(() => readKeys(db), [db]));
  const [task, setTask] = useState<Task>();
  const [news, setNews] = useState('');
  const [isWarning, setIsWarning] = useState(false);
  const [unshownHints, setUnshownHints] = useState<readonly string[]>([]);
  /** The database refused a change although this page thought the sign-in young enough. */
  const [wasRefused, setWasRefused] = useState(false);
  const isTooOld = isSignInTooOld(session, useNow()) || wasRefused;

  function close(message = '', isUnsure = false): void {
    setTask(undefined);
    setIsWarning(isUnsure);
    setNews(message);
    if (message !== '') void stored.reload();
  }

  async function onDenied(): Promise<void> {
    close();
    // Whoever may read and not write signed in too long ago.
    if (await stored.reload()) setWasRefused(true);
  }

  const dialog = task && (
    <>
      {task.kind !== 'revoke' && (
        <NewKeyDialog
          rotated={task.kind === 'rotate' ? task.stored.project : undefined}
          store={(key, project) => storeKey(db, key, project, session.uid)}
          onDenied={onDenied}
          onUnknown={(hint) => {
            setUnshownHints([...unshownHints, hint]);
            close(`It is not known whether a key that ends in ${hint} was stored.`, true);
          }}
          onClose={(created) => close(created && describeCreation(created, task))}
        />
      )}
      {task.kind === 'revoke' && (
        <RevokeDialog
          stored={task.stored}
          revoke={() => revokeKey(db, task.stored.hash, session.uid)}
          onClose={(revoked) => close(revoked && describeRevocation(revoked, session))}
          onDenied={onDenied}
        />
      )}
    </>
  );

  // A key that is being shown stays, even if the admin is revoked meanwhile.
  if (stored.isDenied) return [<Refused key="refused" session={session} />, dialog];
  return [
    <div key="page">
      <PageTitle text="PoH API Keys">
        {keys !== undefined && !isTooOld && (
          <button type="button" class="primary" onClick={() => setTask({ kind: 'create' })}>
            Create key
          </button>
        )}
      </PageTitle>
      <p class="muted lead">
        Each project that looks up attestations has a key of its own. Only a key’s hash is stored.
      </p>
      <News text={news} isWarning={isWarning} />
      {isTooOld && <TooOld onSignIn={() => signOut(auth)} />}
      {stored.isUnreachable && (
        <Unreachable isOutdated={keys !== undefined} onRetry={stored.reload} />
      )}
      {keys === undefined && !stored.isUnreachable && (
        <p class="loading" role="status">
          Loading the keys…
        </p>
      )}
      {keys?.length === 0 && <NoKeys />}
      {keys !== undefined && keys.length > 0 && (
        <>
          <KeyTable
            keys={keys}
            session={session}
            mayChange={!isTooOld}
            unshownHints={unshownHints}
            onRotate={(key) => setTask({ kind: 'rotate', stored: key })}
            onRevoke={(key) => setTask({ kind: 'revoke', stored: key })}
          />
          <KeyHistory keys={keys} session={session} />
        </>
      )}
    </div>,
    dialog,
  ];
}

const describeCreation = (project: string, task: Task): string =>
  task.kind === 'create'
    ? `A key of ${project} was created.`
    : `A second key of ${project} was created. Once it is in use, revoke the old one, ${task.stored.id}.`;

function describeRevocation(revoked: StoredKey, session: Session): string {
  const { id, revokedBy, revokedAt } = revoked;
  if (revokedBy === session.uid) return `The key ${id} of ${nameProject(revoked)} is revoked.`;
  const since = revokedAt === undefined ? '' : ` on ${formatTime(revokedAt)}`;
  return `The key ${id} was revoked already${since} by ${nameActor(revokedBy, session)}.`;
}
