// The list of keys, with search, filter, sorting and export. It renders thousands of keys in steps.
// On a narrow screen each row of the table is a card.

import { useState } from 'preact/hooks';
import { comparable } from '../../records/project.ts';
import { useShowMore } from '../useShowMore.tsx';
import { KeyRow } from './KeyRow.tsx';
import { isOverdue, PAGE_KEYS, type StoredKey } from './keyStore.ts';
import { Overdue } from './messages.tsx';
import { useShared } from './shared.ts';

interface Props {
  /** Newest first. */
  readonly keys: readonly StoredKey[];
  readonly onExport: (keys: readonly StoredKey[]) => void;
}

const ORDERS = {
  'Newest first': () => 0,
  'Oldest first': (a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0),
  'By project': (a, b) => (a.project ?? '').localeCompare(b.project ?? ''),
  'Last revoked first': (a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0),
} as const satisfies Record<string, (a: StoredKey, b: StoredKey) => number>;

type Order = keyof typeof ORDERS;
const isOrder = (name: string): name is Order => name in ORDERS;

/** @param wanted the search in its comparable form; only what the list shows is searched */
const matches = ({ project, contact, hint, hash }: StoredKey, wanted: string): boolean =>
  hash.startsWith(wanted) ||
  [project, contact, hint].some((text) => text && comparable(text).includes(wanted));

export function KeyList({ keys, onExport }: Props) {
  const [search, setSearch] = useState('');
  const [isActiveOnly, setIsActiveOnly] = useState(false);
  const [order, setOrder] = useState<Order>('Newest first');
  const { nowMs } = useShared();
  const overdue = keys.filter((key) => isOverdue(key, nowMs)).length;
  const wanted = comparable(search);
  const found = keys
    .filter((key) => (key.state === 'active' || !isActiveOnly) && matches(key, wanted))
    .sort(
      (a, b) => Number(isOverdue(b, nowMs)) - Number(isOverdue(a, nowMs)) || ORDERS[order](a, b),
    );
  const { list, limit, button, reset } = useShowMore<HTMLTableSectionElement>(
    found.length,
    PAGE_KEYS,
    'Show more keys',
  );

  return (
    <>
      {overdue > 0 && <Overdue count={overdue} />}
      <div class="row spaced">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search by project, contact, id or last characters"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            reset();
          }}
        />
        <label class="row">
          <input
            type="checkbox"
            checked={isActiveOnly}
            onChange={(event) => setIsActiveOnly(event.currentTarget.checked)}
          />
          Active only
        </label>
        <select
          aria-label="Order"
          value={order}
          onChange={({ currentTarget: { value } }) => isOrder(value) && setOrder(value)}
        >
          {Object.keys(ORDERS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="button" onClick={() => onExport(found)}>
          Export as CSV
        </button>
        <p class="muted" role="status">
          {describeCount(keys.length, found.length)}
        </p>
      </div>
      {found.length === 0 ? (
        <p class="card empty stack muted">
          No key matches. Clear the search or “Active only” to see more.
        </p>
      ) : (
        <table class="card keys">
          <thead class="muted">
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Key</th>
              <th scope="col">State</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody ref={list}>
            {found.slice(0, limit).map((listed) => (
              <KeyRow key={listed.hash} listed={listed} />
            ))}
          </tbody>
        </table>
      )}
      {button}
    </>
  );
}

const describeCount = (all: number, found: number): string =>
  found === all ? `${all} ${all === 1 ? 'key' : 'keys'}` : `${found} of ${all} keys`;
