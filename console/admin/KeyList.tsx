// The list of keys, with search and filter, and the rights and actions of each key. On a narrow screen each row of the
// table is a card.

import { useState } from 'preact/hooks';
import { MODES } from '../../contract/endpoint.ts';
import { comparable, parseProject } from '../../records/project.ts';
import { Button } from '../buttons.tsx';
import { formatTime } from '../times.ts';
import { endsSoon, type StoredKey, stateAt } from './keyStore.ts';
import { lookupsUrl, MODE_NAMES, nameKey, nameProject, useShared } from './shared.ts';

/** @param wanted the search in its comparable form; only what the list shows is searched */
const matches = ({ project, contact, hint, hash }: StoredKey, wanted: string): boolean =>
  hash.startsWith(wanted) ||
  [project, contact, hint].some((text) => text && comparable(text).includes(wanted));

/** @param keys the newest first */
export function KeyList({ keys }: { keys: readonly StoredKey[] }) {
  const [search, setSearch] = useState('');
  const [isActiveOnly, setIsActiveOnly] = useState(false);
  const wanted = comparable(search);
  const { nowMs } = useShared();
  const found = keys.filter(
    (key) => (!isActiveOnly || stateAt(key, nowMs) === 'active') && matches(key, wanted),
  );
  return (
    <>
      <div class="row spaced">
        <input
          type="search"
          aria-label="Search"
          placeholder="Project, contact, id or last 4"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <label class="row">
          <input
            type="checkbox"
            checked={isActiveOnly}
            onChange={(event) => setIsActiveOnly(event.currentTarget.checked)}
          />
          Active only
        </label>
        <p class="muted" role="status">
          {found.length === keys.length
            ? `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`
            : `${found.length} of ${keys.length} keys match`}
        </p>
      </div>
      {found.length === 0 ? (
        <p class="card empty muted">
          No key matches. Clear the search or “Active only” to see more.
        </p>
      ) : (
        <table class="card keys">
          <thead class="muted">
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Key</th>
              <th scope="col">State and rights</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((listed) => (
              <KeyRow key={listed.hash} listed={listed} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

interface Props {
  readonly listed: StoredKey;
}

function KeyRow({ listed }: Props) {
  const { backend, nameActor, nowMs } = useShared();
  const { contact, createdAt, createdBy, hint, fault } = listed;
  return (
    <tr class={stateAt(listed, nowMs) === 'active' ? '' : 'muted'}>
      <th scope="row">
        <bdi>{nameProject(listed)}</bdi>
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
              Last&nbsp;lookups
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
