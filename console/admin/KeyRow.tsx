// One key in the list, with its rights and actions.

import { MODES, type Mode } from '../../records/apiKey.ts';
import { parseProject } from '../../records/project.ts';
import { Button } from '../buttons.tsx';
import { formatTime } from '../times.ts';
import { endsSoon, type StoredKey, stateAt } from './keyStore.ts';
import { lookupsUrl, nameKey, nameProject, useShared } from './shared.ts';

interface Props {
  readonly listed: StoredKey;
}

export function KeyRow({ listed }: Props) {
  const { backend, nameActor, newest, nowMs } = useShared();
  const { contact, createdAt, createdBy, hint, fault } = listed;
  return (
    <tr class={stateAt(listed, nowMs) === 'active' ? '' : 'muted'}>
      <th scope="row">
        <bdi>{nameProject(listed)}</bdi>
        {listed.hash === newest && [
          ' ',
          <span key="new" class="badge good">
            New
          </span>,
        ]}
        {contact !== undefined && (
          <small>
            <bdi>{contact}</bdi>
          </small>
        )}
      </th>
      <td data-label="Key">
        <code>{listed.id}</code>
        <small>
          {hint !== undefined && ['ends in ', <code key="hint">{hint}</code>, ' ']}
          {fault === undefined && (
            <a
              href={lookupsUrl(backend, listed.id)}
              target="_blank"
              rel="noreferrer"
              aria-label={`Last lookups with ${nameKey(listed)}, in Google Cloud`}
            >
              Last lookups
            </a>
          )}
        </small>
      </td>
      <td data-label="State and rights">
        <State listed={listed} />
      </td>
      <td data-label="Created">
        {createdAt === undefined ? 'Unknown' : <time>{formatTime(createdAt)}</time>}
        <small>by {nameActor(createdBy)}</small>
      </td>
      <td>{fault === undefined && <Actions listed={listed} />}</td>
    </tr>
  );
}

function State({ listed }: Props) {
  const { nameActor, nowMs } = useShared();
  const { fault, revokedAt, revokedBy } = listed;
  const state = stateAt(listed, nowMs);
  const isRevoked = state === 'revoked';
  const rights = fault === undefined && !isRevoked ? describeRights(listed, nowMs) : '';
  return (
    <>
      <span class={state === 'active' ? 'badge good' : 'badge'}>{state}</span>{' '}
      {isRevoked && revokedBy !== undefined && `by ${nameActor(revokedBy)}`}
      {endsSoon(listed, nowMs) && <span class="badge due">Ends soon</span>}
      {fault !== undefined && <small>{fault}, so it does not work.</small>}
      {isRevoked && revokedAt !== undefined && <small>{formatTime(revokedAt)}</small>}
      {rights !== '' && <small>{rights}</small>}
    </>
  );
}

/** How people name the modes of a lookup. */
export const MODE_NAMES: Readonly<Record<Mode, string>> = {
  wallet: 'wallet',
  email: 'e-mail address',
  token: 'token',
};

/** @returns the limits of a key, or an empty string if it has none */
function describeRights({ modes, expiresAt, readsPerSecond }: StoredKey, nowMs: number): string {
  const names = MODES.filter((mode) => modes.includes(mode)).map((mode) => MODE_NAMES[mode]);
  const limits = [
    names.length === 0 && 'No lookups, because its field “modes” is not valid',
    names.length > 0 && names.length < MODES.length && `Lookups only by ${names.join(' or ')}`,
    readsPerSecond !== undefined && `${readsPerSecond} reads a second`,
    expiresAt !== undefined && `${expiresAt > nowMs ? 'Ends' : 'Ended'} ${formatTime(expiresAt)}`,
  ];
  return limits.filter(Boolean).join('. ');
}

function Actions({ listed }: Props) {
  const { mayChange, begin, nowMs } = useShared();
  if (!mayChange || !listed.active) return null;
  // A hand-written record may contain a name that the rules refuse for another key.
  const isNamed = parseProject(listed.project ?? '') !== undefined;
  return (
    <>
      {isNamed && stateAt(listed, nowMs) === 'active' && (
        <Button
          class="small"
          aria-label={`Rotate ${nameKey(listed)}`}
          onClick={() => begin({ kind: 'create', rotated: listed })}
        >
          Rotate
        </Button>
      )}{' '}
      <Button
        class="small danger-quiet"
        aria-label={`Revoke ${nameKey(listed)}`}
        onClick={() => begin({ kind: 'revoke', target: listed })}
      >
        Revoke
      </Button>
    </>
  );
}
