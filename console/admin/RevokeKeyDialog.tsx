// Revokes a key. This is final, so the admin types the key's last characters first.

import { RevokeDialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { formatTime } from '../times.ts';
import { revokeKey, type StoredKey } from './keyStore.ts';
import { nameProject, useShared } from './shared.ts';

/** What the admin types. A hand-written record may have no last characters that can be typed. */
const confirmationOf = ({ hint = '', id }: StoredKey): { text: string; name: string } =>
  /^[!-~]{4}$/.test(hint)
    ? { text: hint, name: 'the last four characters of the key' }
    : { text: id, name: 'the id of the key' };

export function RevokeKeyDialog({ target }: { target: StoredKey }) {
  const { backend, session, nameActor, close, onDenied } = useShared();
  const { id, hint, createdAt, createdBy } = target;
  const project = <bdi>{nameProject(target)}</bdi>;

  async function revoke(): Promise<void> {
    const stored = await revokeKey(backend.db, target.hash, session.uid);
    if (!stored) return close(`The key ${id} no longer has a record, so it does not work.`);
    const { revokedBy, revokedAt } = stored;
    const since = revokedAt === undefined ? '' : ` on ${formatTime(revokedAt)}`;
    close(
      revokedBy === session.uid ? (
        <>
          The key {id} of {project} is revoked.
        </>
      ) : (
        `The key ${id} was already revoked${since} by ${nameActor(revokedBy)}.`
      ),
    );
  }

  function describe(error: unknown): string {
    if (!isDenied(error)) return `It is not known whether the key was revoked. ${UNREACHABLE}`;
    onDenied();
    return '';
  }

  return (
    <RevokeDialog
      title="Revoke this key?"
      button="Revoke key"
      confirmation={confirmationOf(target)}
      revoke={revoke}
      describe={describe}
      onCancel={close}
    >
      <p>
        The key of {project}
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
    </RevokeDialog>
  );
}
