// Revokes a key. This is final, so the admin types the key's last characters first.

import type { StoredKey } from '../../records/apiKey.ts';
import { obstacleOf } from '../../records/apiKeyText.ts';
import { FormDialog, TextField } from '../Dialog.tsx';
import { useAction } from '../requests.ts';
import { capitalized, Name } from '../Text.tsx';
import { formatTime } from '../times.ts';
import { storeRevocation } from './keyStore.ts';
import { nameProject, useShared } from './shared.ts';

export function RevokeKeyDialog({ target }: { target: StoredKey }) {
  const { backend, author, nowMs, nameActor, close, explain } = useShared();
  const { isBusy, problem, setProblem, run } = useAction();
  const { id, hint = '' } = target;
  const project = <Name>{nameProject(target)}</Name>;
  const shownId = <Name>{id}</Name>;
  // A hand-written record may have no last characters that can be typed.
  const [wanted, name] = /^[!-~]{4}$/.test(hint)
    ? [hint, 'the last four characters of the key']
    : [id, 'the id of the key'];

  async function revoke(): Promise<void> {
    const stored = await storeRevocation(backend.db, author, target.hash);
    if (!stored) return close(<>The key {shownId} has no record any more.</>);
    const isMine = !stored.active && stored.revokedBy === author.actor;
    const other = obstacleOf(stored, nowMs, formatTime, nameActor);
    close(
      isMine ? (
        <>
          The key {shownId} of {project} is revoked.
        </>
      ) : (
        other
      ),
    );
  }

  return (
    <FormDialog
      title="Revoke this key?"
      isBusy={isBusy}
      button={['Revoke key', 'Revoking…', 'danger']}
      onSubmit={(typed) => {
        if (typed('confirmation') === wanted) void run(revoke, explain('revoked'));
        else setProblem(`This is not ${name}. Type ${wanted}.`);
      }}
      onCancel={close}
      onChange={() => setProblem('')}
    >
      <Target target={target} />
      <TextField
        label={[`Type ${name}, `, <code key="wanted">{wanted}</code>]}
        name="confirmation"
        problem={problem}
      />
    </FormDialog>
  );
}

/** The key, how much it is used, and what the revocation does. */
function Target({ target }: { target: StoredKey }) {
  const { nameActor, describeUse } = useShared();
  const { id, hint = '', createdAt, createdBy } = target;
  return (
    <>
      <p>
        The key of <Name>{nameProject(target)}</Name>{' '}
        {hint !== '' && ['that ends in ', <code key="hint">{hint}</code>, ' ']}
        stops working immediately and permanently. Every later request with it is refused.
      </p>
      <p>{capitalized(describeUse(target, formatTime))}.</p>
      <p class="muted">
        Id <code>{id}</code>
        {createdAt !== undefined && `, created ${formatTime(createdAt)} by ${nameActor(createdBy)}`}
      </p>
    </>
  );
}
