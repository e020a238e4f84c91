// Changes what an active key may do, when it ends, or its contact. The record says who did it.

import { describeRights, type KeyDetails, type StoredKey } from '../../records/apiKey.ts';
import { differences } from '../../records/keyChanges.ts';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { useAction } from '../requests.ts';
import { formatTime } from '../times.ts';
import { KeyForm } from './KeyForm.tsx';
import { storeChange } from './keyStore.ts';
import { nameProject, useShared } from './shared.ts';

export function ChangeKeyDialog({ target }: { target: StoredKey }) {
  const { backend, session, nowMs, describeUse, close, onDenied } = useShared();
  const { isBusy, problem, run } = useAction();
  const project = <bdi>{nameProject(target)}</bdi>;

  async function save(wanted: KeyDetails): Promise<void> {
    const change = differences(target, wanted);
    if (Object.keys(change).length === 0) return close();
    const author = { uid: session.uid, nowMs };
    if (!(await storeChange(backend.db, author, target.hash, change))) {
      return close(`The key ${target.id} is no longer active, so it was not changed.`, true);
    }
    const details = { ...target, ...change };
    close(
      <>
        The key {target.id} of {project} was changed: {describeRights(details, nowMs, formatTime)}.
      </>,
    );
  }

  function describe(error: unknown): string {
    if (!isDenied(error)) return `It is not known whether the key was changed. ${UNREACHABLE}`;
    onDenied();
    return '';
  }

  return (
    <KeyForm
      title={<>Edit the key of {project}</>}
      basis={target}
      isBusy={isBusy}
      problem={problem}
      button={['Save', 'Saving…', 'primary']}
      onSubmit={({ details }) => void run(() => save(details), describe)}
    >
      <p>
        Id <code>{target.id}</code>, {describeUse(target, formatTime)}. A change counts from the
        next request on, and the list shows who made it.
      </p>
    </KeyForm>
  );
}
