// The list of keys, with search and filter, and the rights, use and actions of each key. On a narrow screen each row of
// the table is a card.

import { useMemo, useState } from 'preact/hooks';
import { describeRights, endsSoon, type StoredKey, shownState } from '../../records/apiKey.ts';
import { isUnused, type KeyUse } from '../../records/keyUse.ts';
import { comparable, parseProject } from '../../records/project.ts';
import { Button } from '../buttons.tsx';
import { capitalized, Live, Name } from '../Text.tsx';
import { formatTime } from '../times.ts';
import { nameKey, nameProject, useShared } from './shared.ts';

/** @param wanted the search in its comparable form; only what the list shows is searched */
const matches = ({ project, contact, hint, hash }: StoredKey, wanted: string): boolean =>
  hash.startsWith(wanted) ||
  [project, contact, hint].some((text) => text && comparable(text).includes(wanted));

type Filter = (key: StoredKey, nowMs: number, use: KeyUse | undefined) => boolean;

const isActive: Filter = (key, nowMs) => shownState(key, nowMs) === 'active';
const FILTERS: Readonly<Record<string, Filter>> = {
  'All keys': () => true,
  'Active only': isActive,
  'Ends soon': endsSoon,
  'Not used': (key, nowMs, use) => isActive(key, nowMs, use) && isUnused(use),
};

type Order = (a: StoredKey, b: StoredKey, use: ReadonlyMap<string, KeyUse>) => number;

/** Equal keys stay in the order of the list, the newest first. */
const ORDERS: Readonly<Record<string, Order>> = {
  'Newest first': () => 0,
  'By project': (a, b) => nameProject(a).localeCompare(nameProject(b)),
  'Ends first': (a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity) || 0,
  'Least used first': (a, b, use) =>
    (use.get(a.id)?.lookups ?? Infinity) - (use.get(b.id)?.lookups ?? Infinity) || 0,
};

interface ListProps {
  /** The newest first. */
  readonly keys: readonly StoredKey[];
  readonly use: ReadonlyMap<string, KeyUse>;
}

export function KeyList({ keys, use }: ListProps) {
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState('All keys');
  const [order, setOrder] = useState('Newest first');
  const wanted = comparable(search);
  const { nowMs } = useShared();
  const found = keys
    .filter((key) => FILTERS[filter]?.(key, nowMs, use.get(key.id)) && matches(key, wanted))
    .sort((a, b) => ORDERS[order]?.(a, b, use) ?? 0);
  const asOf = Math.max(...[...use.values()].map((figures) => figures.asOf ?? 0));
  return (
    <>
      <div class="row spaced filters">
        <input
          type="search"
          aria-label="Search"
          placeholder="Project, contact, id or last 4"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <div class="row">
          <Choose label="Show" from={FILTERS} chosen={filter} onChoose={setFilter} />
          <Choose label="Order" from={ORDERS} chosen={order} onChoose={setOrder} />
        </div>
        <p class="muted">
          <span aria-live="polite">
            <Live>
              {found.length === keys.length
                ? `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`
                : `${found.length} of ${keys.length} keys match`}
            </Live>
          </span>
          <Live>{asOf > 0 && `. Figures of use: ${formatTime(asOf)}`}</Live>
        </p>
      </div>
      {found.length === 0 ? (
        <p class="card empty muted">
          No key matches. Clear the search or show all keys to see more.
        </p>
      ) : (
        <Table found={found} />
      )}
    </>
  );
}

const Table = ({ found }: { found: readonly StoredKey[] }) => (
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
);

interface ChooseProps extends Readonly<Record<'label' | 'chosen', string>> {
  readonly from: object;
  readonly onChoose: (name: string) => void;
}

const Choose = ({ label, from, chosen, onChoose }: ChooseProps) => (
  <select
    aria-label={label}
    value={chosen}
    onChange={(event) => onChoose(event.currentTarget.value)}
  >
    {Object.keys(from).map((name) => (
      <option key={name}>{name}</option>
    ))}
  </select>
);

function KeyRow({ listed }: { listed: StoredKey }) {
  const { nameActor, describeUse, mayChange, nowMs } = useShared();
  const state = shownState(listed, nowMs);
  const shown = {
    listed,
    state,
    isSoon: endsSoon(listed, nowMs),
    use: describeUse(listed),
    createdBy: nameActor(listed.createdBy),
    changedBy: nameActor(listed.changedBy),
    revokedBy: nameActor(listed.revokedBy),
    mayChange: mayChange && state === 'active',
  };
  // The list is read again each minute. Only a row that has changed is rendered again.
  return useMemo(
    () => (
      <tr class={state === 'active' ? '' : 'muted'}>
        <Cells {...shown} />
        <td>{shown.mayChange && <Actions listed={listed} />}</td>
      </tr>
    ),
    [JSON.stringify(shown)],
  );
}

function Actions({ listed }: { listed: StoredKey }) {
  const { begin } = useShared();
  return (
    <>
      <Button
        class="small"
        aria-label={`Edit ${nameKey(listed)}`}
        onClick={() => begin({ kind: 'change', target: listed })}
      >
        Edit
      </Button>{' '}
      {/* A hand-written record may contain a name that the rules refuse for another key. */}
      {parseProject(listed.project ?? '') !== undefined && (
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
        icon="revoke"
        aria-label={`Revoke ${nameKey(listed)}`}
        onClick={() => begin({ kind: 'revoke', target: listed })}
      >
        Revoke
      </Button>
    </>
  );
}

interface CellsProps
  extends Readonly<Record<'state' | 'use' | 'createdBy' | 'changedBy' | 'revokedBy', string>> {
  readonly listed: StoredKey;
  readonly isSoon: boolean;
}

function Cells({ listed, state, isSoon, use, createdBy, changedBy, revokedBy }: CellsProps) {
  const { contact, hint, createdAt, changedAt, replacedBy } = listed;
  return (
    <>
      <th scope="row">
        <Name>{nameProject(listed)}</Name>
        {contact !== undefined && (
          <small>
            <Name>{contact}</Name>
          </small>
        )}
        <small>
          <Live>{capitalized(use)}</Live>
        </small>
      </th>
      <td data-label="Key">
        <code>{listed.id}</code>
        {hint !== undefined && (
          <small>
            ends in <code>{hint}</code>
          </small>
        )}
        {replacedBy !== undefined && (
          <small>
            replaced by <Name>{replacedBy}</Name>
          </small>
        )}
      </td>
      <StateCell {...{ listed, state, isSoon, revokedBy }} />
      <td key={JSON.stringify([createdBy, changedAt, changedBy])} data-label="Created">
        {createdAt === undefined ? 'Unknown' : <time>{formatTime(createdAt)}</time>}
        <small>by {createdBy}</small>
        {changedAt !== undefined && (
          <small>
            changed {formatTime(changedAt)} by {changedBy}
          </small>
        )}
      </td>
    </>
  );
}

type StateProps = Pick<CellsProps, 'listed' | 'state' | 'isSoon' | 'revokedBy'>;

function StateCell({ listed, state, isSoon, revokedBy }: StateProps) {
  const { faults, revokedAt } = listed;
  const isLive = state === 'active' || state === 'ended';
  // Of an unusable key and of a wrong limit, only the fault is true.
  const rights =
    isLive &&
    !('modes' in faults) &&
    describeRights(listed, state === 'active' ? 0 : Infinity, formatTime);
  return (
    <td
      key={JSON.stringify([state, isSoon, rights, revokedBy, faults])}
      data-label="State and rights"
    >
      <span class={state === 'active' ? 'badge good' : 'badge'}>{capitalized(state)}</span>{' '}
      {listed.revokedBy !== undefined && `by ${revokedBy}`}
      {isSoon && <span class="badge due">Ends soon</span>}
      {state === 'revoked' && revokedAt !== undefined && <small>{formatTime(revokedAt)}</small>}
      {rights && <small>{capitalized(rights)}</small>}
      {Object.entries(faults).map(([field, text]) => (
        <small key={field}>{text}.</small>
      ))}
    </td>
  );
}
