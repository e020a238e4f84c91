// One key of the list, and what can be done with it.

import type { Session } from '../session.ts';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { nameActor, nameProject } from './names.ts';

export interface KeyRowProps {
  readonly stored: StoredKey;
  readonly session: Session;
  readonly mayChange: boolean;
  /** The last characters of keys of which it is not known whether they were stored. */
  readonly unshownHints: readonly string[];
  readonly onRotate: (key: StoredKey) => void;
  readonly onRevoke: (key: StoredKey) => void;
}

export function KeyRow(props: KeyRowProps) {
  const { stored, session, unshownHints } = props;
  const { active, createdAt, createdBy, hint, id } = stored;
  return (
    <tr class={active ? '' : 'revoked'}>
      <th scope="row">
        <bdi>{nameProject(stored)}</bdi>
      </th>
      <td>
        <code>{id}</code>
        {hint !== undefined && (
          <small>
            ends in <code>{hint}</code>
          </small>
        )}
        {active && hint !== undefined && unshownHints.includes(hint) && (
          <strong class="unshown">Never shown to anybody: revoke it</strong>
        )}
      </td>
      <td>
        <State stored={stored} session={session} />
      </td>
      <td>
        {createdAt === undefined ? 'Unknown' : formatTime(createdAt)}
        <small>by {nameActor(createdBy, session)}</small>
      </td>
      <td class="row-actions">{active && props.mayChange && <Actions {...props} />}</td>
    </tr>
  );
}

const Actions = ({ stored, onRotate, onRevoke }: KeyRowProps) => (
  <>
    {stored.project !== undefined && (
      <button
        type="button"
        aria-label={`Rotate the key ${stored.id}`}
        onClick={() => onRotate(stored)}
      >
        Rotate
      </button>
    )}
    <button
      type="button"
      class="danger-quiet"
      aria-label={`Revoke the key ${stored.id}`}
      onClick={() => onRevoke(stored)}
    >
      Revoke
    </button>
  </>
);

function State({ stored, session }: { stored: StoredKey; session: Session }) {
  if (stored.active) return <span class="badge good">Active</span>;
  const { revokedAt, revokedBy } = stored;
  return (
    <>
      <span class="badge">Revoked</span>
      {revokedAt !== undefined && (
        <small>
          {formatTime(revokedAt)} by {nameActor(revokedBy, session)}
        </small>
      )}
    </>
  );
}
