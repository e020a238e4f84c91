// Revokes one of the user's tokens. This is final, so the user confirms it first.

import { useState } from 'preact/hooks';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { formatTime } from '../times.ts';
import type { StoredToken } from './tokenStore.ts';

interface Props {
  readonly target: StoredToken;
  readonly revoke: () => Promise<void>;
  readonly onClose: (isRevoked: boolean) => void;
}

const REFUSED =
  'The token was not revoked because the database refused it. Reload the page. If the token is still ' +
  'listed as valid, ask the people who run this service to revoke it.';

export function RevokeTokenDialog({ target, revoke, onClose }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const { token, createdAt } = target;

  async function attempt(): Promise<void> {
    if (isBusy) return;
    setIsBusy(true);
    setProblem('');
    try {
      await revoke();
      onClose(true);
    } catch (error) {
      setProblem(
        isDenied(error) ? REFUSED : `It is not known whether the token was revoked. ${UNREACHABLE}`,
      );
    }
    setIsBusy(false);
  }

  return (
    <Dialog title="Revoke this token?" onCancel={() => isBusy || onClose(false)}>
      <p>
        <code>{token}</code>
        {createdAt !== undefined && <small>Made {formatTime(createdAt)}</small>}
      </p>
      <p>Platforms that have it can no longer look you up with it. This cannot be undone.</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="row actions">
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || onClose(false)}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={attempt}>
          {isBusy ? 'Revoking…' : 'Revoke token'}
        </button>
      </div>
    </Dialog>
  );
}
