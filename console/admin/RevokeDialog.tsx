// Revokes a key. This is final, so the admin types the key's last characters first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { TextField } from '../TextField.tsx';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { confirmation, type NameActor, nameProject } from './names.ts';

interface Props {
  readonly target: StoredKey;
  readonly nameActor: NameActor;
  readonly revoke: () => Promise<StoredKey>;
  /**
   * @param revoked the revoked key, which another admin may have revoked; undefined if the dialog was
   * cancelled
   */
  readonly onClose: (revoked?: StoredKey) => void;
  readonly onDenied: () => void;
}

export function RevokeDialog({ target, nameActor, revoke, onClose, onDenied }: Props) {
  const [typed, setTyped] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const { id, hint, createdAt, createdBy } = target;
  const expected = confirmation(target);

  async function attempt(): Promise<void> {
    setIsBusy(true);
    setProblem('');
    try {
      onClose(await revoke());
    } catch (error) {
      setIsBusy(false);
      if (isDenied(error)) onDenied();
      else setProblem(`It is not known whether the key was revoked. ${UNREACHABLE}`);
    }
  }

  function submit(event: Event): void {
    event.preventDefault();
    if (isBusy) return;
    if (typed.trim() === expected.text) void attempt();
    else setProblem(`This is not ${expected.name}. Type ${expected.text}.`);
  }

  return (
    <Dialog title="Revoke this key?" onCancel={() => isBusy || onClose()}>
      <p>
        The key of <bdi>{nameProject(target)}</bdi>
        {hint !== undefined && (
          <>
            {' '}
            that ends in <code>{hint}</code>
          </>
        )}{' '}
        stops working immediately and permanently. Every later request with it is refused.
      </p>
      <p class="muted">
        Id <code>{id}</code>
        {createdAt !== undefined && `, created ${formatTime(createdAt)} by ${nameActor(createdBy)}`}
      </p>
      <form onSubmit={submit} aria-busy={isBusy}>
        <TextField
          label={
            <>
              Type {expected.name}, <code>{expected.text}</code>
            </>
          }
          value={typed}
          problem={problem}
          isReadOnly={isBusy}
          onChange={(text) => {
            setTyped(text);
            setProblem('');
          }}
        />
        <div class="row actions">
          <button type="button" aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            Cancel
          </button>
          <button type="submit" class="danger" aria-disabled={isBusy}>
            {isBusy ? 'Revoking…' : 'Revoke key'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
