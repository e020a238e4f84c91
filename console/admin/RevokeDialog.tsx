// Revokes a key. This is final, so the admin types the project's name first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { TextField } from '../TextField.tsx';
import type { StoredKey } from './keyStore.ts';
import { confirmationText, nameProject } from './names.ts';

interface Props {
  readonly target: StoredKey;
  readonly revoke: () => Promise<StoredKey>;
  /**
   * @param revoked the revoked key, which another admin may have revoked; undefined if the dialog was
   * cancelled
   */
  readonly onClose: (revoked?: StoredKey) => void;
  readonly onDenied: () => void;
}

export function RevokeDialog({ target, revoke, onClose, onDenied }: Props) {
  const [typed, setTyped] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const expected = confirmationText(target);

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
    if (typed.trim() === expected) void attempt();
    else setProblem('That is not the name above. Type it exactly as shown.');
  }

  return (
    <Dialog title="Revoke this key?" onCancel={() => isBusy || onClose()}>
      <p>
        The key <code>{target.id}</code> of <bdi>{nameProject(target)}</bdi> stops working
        immediately and permanently. Every later request with it is refused.
      </p>
      <form onSubmit={submit} aria-busy={isBusy}>
        <TextField
          label={
            <>
              Type <bdi class="expected">{expected}</bdi> to revoke it
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
