// The list of keys, with search, filter, sorting and export. It renders thousands of keys in steps.
// On a narrow screen each row of the table is a card.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { comparable } from '../../records/project.ts';
import { Button } from '../buttons.tsx';
import { KeyRow } from './KeyRow.tsx';
import { isOverdue, PAGE_KEYS, type StoredKey } from './keyStore.ts';
import { actorNames, type NameActor, useShared } from './shared.ts';

const ORDERS: Readonly<Record<string, (a: StoredKey, b: StoredKey) => number>> = {
  'Newest first': () => 0,
  'Oldest first': (a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0),
  'By project': (a, b) => (a.project ?? '').localeCompare(b.project ?? ''),
  'Last revoked first': (a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0),
};

/** @param wanted the search in its comparable form; only what the list shows is searched */
const matches = ({ project, contact, hint, hash }: StoredKey, wanted: string): boolean =>
  hash.startsWith(wanted) ||
  [project, contact, hint].some((text) => text && comparable(text).includes(wanted));

/** @param keys the newest first */
export function KeyList({ keys }: { keys: readonly StoredKey[] }) {
  const [search, setSearch] = useState('');
  const [isActiveOnly, setIsActiveOnly] = useState(false);
  const [order, setOrder] = useState('Newest first');
  const { nowMs, emails } = useShared();
  const overdue = keys.filter((key) => isOverdue(key, nowMs)).length;
  const wanted = comparable(search);
  const found = keys
    .filter((key) => (key.state === 'active' || !isActiveOnly) && matches(key, wanted))
    .sort(
      (a, b) =>
        Number(isOverdue(b, nowMs)) - Number(isOverdue(a, nowMs)) || (ORDERS[order]?.(a, b) ?? 0),
    );
  const list = useRef<HTMLTableSectionElement>(null);
  const [limit, setLimit] = useState(PAGE_KEYS);
  // The click may have removed the button, so focus the first new row.
  useLayoutEffect(() => {
    const first = list.current?.rows[limit - PAGE_KEYS];
    if (limit === PAGE_KEYS || !first) return;
    first.tabIndex = -1;
    first.focus();
  }, [limit]);

  return (
    <>
      {overdue > 0 && (
        <section class="card notice stack warning" aria-labelledby="overdue">
          <h2 id="overdue">Replaced more than a week ago, and still active: {overdue}</h2>
          <p>
            The list begins with the old keys. Look for lookups with each, and revoke it once nobody
            uses it any more.
          </p>
        </section>
      )}
      <div class="row spaced">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search by project, contact, id or last characters"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            setLimit(PAGE_KEYS);
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
          onChange={(event) => setOrder(event.currentTarget.value)}
        >
          {Object.keys(ORDERS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {/* Other people read the file, so it names this admin too instead of saying "you". */}
        <Button onClick={() => exportKeys(found, actorNames(undefined, emails))}>
          Export as CSV
        </Button>
        <p class="muted" role="status">
          {found.length} of {keys.length} keys
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
      {found.length > limit && (
        <Button class="spaced" onClick={() => setLimit(limit + PAGE_KEYS)}>
          Show more keys
        </Button>
      )}
    </>
  );
}

const time = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

const COLUMNS: Readonly<Record<string, (key: StoredKey, name: NameActor) => string | undefined>> = {
  id: ({ id }) => id,
  project: ({ project }) => project,
  contact: ({ contact }) => contact,
  'ends in': ({ hint }) => hint,
  state: ({ state }) => state,
  created: ({ createdAt }) => time(createdAt),
  'created by': ({ createdBy }, name) => createdBy && name(createdBy),
  revoked: ({ revokedAt }) => time(revokedAt),
  'revoked by': ({ revokedBy }, name) => revokedBy && name(revokedBy),
};

/** Quotes a cell. Puts an apostrophe before a possible formula, because other people choose the names. */
const cell = (text = ''): string =>
  `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;

/** Saves the keys as `api-keys.csv`, for spreadsheets. */
function exportKeys(keys: readonly StoredKey[], nameActor: NameActor): void {
  const rows = keys.map((key) => Object.values(COLUMNS).map((of) => of(key, nameActor)));
  const lines = [Object.keys(COLUMNS), ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`);
  // The byte order mark tells spreadsheets that the file is UTF-8.
  const file = new Blob(['\ufeff', ...lines], { type: 'text/csv' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = 'api-keys.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
