// Changes what an active key may do, when it ends, or its contact. The record says who did it.

import { describeRights, type KeyDetails, type StoredKey } from '../../records/apiKey.ts';
import { differences } from '../../records/keyChanges.ts';
import { useAction } from '../requests.ts';
import { Name } from '../Text.tsx';
import { formatTime } from '../times.ts';
import { KeyForm } from './KeyForm.tsx';
import { storeChange } from './keyStore.ts';
import { nameProject, useShared } from './shared.ts';

export function ChangeKeyDialog({ target }: { target: StoredKey }) {
  const { backend, author, nowMs, describeUse, close, explain } = useShared();
  const { isBusy, problem, run } = useAction();
  const project = <Name>{nameProject(target)}</Name>;
  const id = <Name>{target.id}</Name>;

  async function save(wanted: KeyDetails): Promise<void> {
    const change = differences(target, wanted);
    if (Object.keys(change).length === 0) return close();
    if (!(await storeChange(backend.db, author, target.hash, change))) {
      return close(<>The key {id} is no longer active, so it was not changed.</>, true);
    }
    const details = { ...target, ...change };
    close(
      <>
        The key {id} of {project} was changed: {describeRights(details, nowMs, formatTime)}.
      </>,
    );
  }

  return (
    <KeyForm
      title={<>Edit the key of {project}</>}
      basis={target}
      isBusy={isBusy}
      problem={problem}
      button={['Save', 'Saving…', 'primary']}
      onSubmit={({ details }) => void run(() => save(details), explain('changed'))}
    >
      <p>
        Id <code>{target.id}</code>, {describeUse(target, formatTime)}. A change counts from the
        next request on, and the list shows who made it.
      </p>
    </KeyForm>
  );
}
