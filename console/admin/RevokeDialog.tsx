// Revokes a key. This is final, so the admin types the key's last characters first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { TextField } from '../TextField.tsx';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { nameProject, useShared } from './shared.ts';

interface Props {
  readonly target: StoredKey;
  /** Resolves once the key is revoked. The parent component then removes the dialog. */
  readonly revoke: () => Promise<void>;
  readonly onCancel: () => void;
  readonly onDenied: () => void;
}

/** What the admin types. A hand-written record may have no last characters that can be typed. */
const confirmationOf = ({ hint = '', id }: StoredKey): { text: string; name: string } =>
  /^[!-~]{4}$/.test(hint)
    ? { text: hint, name: 'the last four characters of the key' }
    : { text: id, name: 'the id of the key' };

export function RevokeDialog({ target, revoke, onCancel, onDenied }: Props) {
  const { nameActor } = useShared();
  const [typed, setTyped] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const { id, hint, createdAt, createdBy } = target;
  const expected = confirmationOf(target);
  const cancel = (): void => {
    if (!isBusy) onCancel();
  };

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    if (typed.trim() !== expected.text) {
      setProblem(`This is not ${expected.name}. Type ${expected.text}.`);
      return;
    }
    setIsBusy(true);
    setProblem('');
    try {
      await revoke();
    } catch (error) {
      setIsBusy(false);
      if (isDenied(error)) onDenied();
      else setProblem(`It is not known whether the key was revoked. ${UNREACHABLE}`);
    }
  }

  return (
    <Dialog title="Revoke this key?" onCancel={cancel}>
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
          <button type="button" aria-disabled={isBusy} onClick={cancel}>
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
