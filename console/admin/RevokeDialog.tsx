// Revoking a key: final, so the project's name is typed first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import type { StoredKey } from './keyStore.ts';
import { nameProject, nameToType } from './names.ts';

interface Props {
  readonly stored: StoredKey;
  readonly revoke: () => Promise<StoredKey>;
  /** @param revoked the key as it is once revoked, by whomever; undefined when cancelled */
  readonly onClose: (revoked?: StoredKey) => void;
  readonly onDenied: () => void;
}

export function RevokeDialog({ stored, revoke, onClose, onDenied }: Props) {
  const [typed, setTyped] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const expected = nameToType(stored);

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
    else setProblem('That is not the name above. Type it as it stands there.');
  }

  return (
    <Dialog title="Revoke this key?" onCancel={() => isBusy || onClose()}>
      <p>
        The key <code>{stored.id}</code> of <bdi>{nameProject(stored)}</bdi> stops working at once,
        for good. Whoever uses it is refused from the next request on.
      </p>
      <form onSubmit={submit} aria-busy={isBusy}>
        <label>
          <span>
            Type <strong class="expected">{expected}</strong> to revoke it
          </span>
          <input
            value={typed}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="revoke-problem"
            aria-invalid={problem !== ''}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setProblem('');
            }}
          />
        </label>
        <p class="problem" id="revoke-problem" role="alert">
          {problem}
        </p>
        <div class="actions">
          <button type="button" disabled={isBusy} onClick={() => onClose()}>
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
