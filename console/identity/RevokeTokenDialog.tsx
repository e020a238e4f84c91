// Revoking an own token: final, so it is confirmed first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';

interface Props {
  readonly revoke: () => Promise<void>;
  readonly onClose: (isRevoked: boolean) => void;
}

export function RevokeTokenDialog({ revoke, onClose }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');

  async function attempt(): Promise<void> {
    if (isBusy) return;
    setIsBusy(true);
    setProblem('');
    try {
      await revoke();
      onClose(true);
    } catch (error) {
      // The rules let an own token be revoked once: it was done elsewhere.
      if (isDenied(error)) onClose(true);
      else setProblem(`It is not known whether the token was revoked. ${UNREACHABLE}`);
    }
    setIsBusy(false);
  }

  return (
    <Dialog title="Revoke this token?" onCancel={() => isBusy || onClose(false)}>
      <p>Platforms that have it can no longer look you up with it, from now on and for good.</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={() => onClose(false)}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={attempt}>
          {isBusy ? 'Revoking…' : 'Revoke token'}
        </button>
      </div>
    </Dialog>
  );
}
