// The list of keys, with search, filter, sorting, export and history. It renders thousands of keys in steps.

import { useRef, useState } from 'preact/hooks';
import { comparable } from '../../records/project.ts';
import { ShowMore } from '../ShowMore.tsx';
import { KeyHistory } from './KeyHistory.tsx';
import type { RowProps } from './KeyRow.tsx';
import { KeyTable } from './KeyTable.tsx';
import { PAGE_KEYS, type StoredKey } from './keyStore.ts';

interface Props extends Omit<RowProps, 'listed'> {
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

export function KeyList({ keys, onExport, ...rest }: Props) {
  const [search, setSearch] = useState('');
  const [isActiveOnly, setIsActiveOnly] = useState(false);
  const [order, setOrder] = useState<Order>('Newest first');
  const [limit, setLimit] = useState(PAGE_KEYS);
  const rows = useRef<HTMLTableSectionElement>(null);

  const wanted = comparable(search);
  const matching = keys.filter(
    ({ project, contact, hint, hash }) =>
      hash.startsWith(wanted) ||
      [project, contact, hint].some((text) => text && comparable(text).includes(wanted)),
  );
  const found = matching
    .filter(({ state }) => state === 'active' || !isActiveOnly)
    .sort(ORDERS[order]);

  return (
    <>
      <div class="row filters">
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
          onChange={({ currentTarget: { value } }) => isOrder(value) && setOrder(value)}
        >
          {Object.keys(ORDERS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="button" onClick={() => onExport(found)}>
          Export as CSV
        </button>
        <p class="muted count" role="status">
          {describeCount(keys.length, found.length)}
        </p>
      </div>
      {found.length === 0 ? (
        <p class="card empty">No key matches. Clear the search or “Active only” to see more.</p>
      ) : (
        <KeyTable keys={found.slice(0, limit)} rows={rows} {...rest} />
      )}
      <ShowMore list={rows} total={found.length} step={PAGE_KEYS} limit={limit} onMore={setLimit}>
        Show more keys
      </ShowMore>
      <KeyHistory keys={matching} nameActor={rest.nameActor} />
    </>
  );
}

const describeCount = (all: number, found: number): string =>
  found === all ? `${all} ${all === 1 ? 'key' : 'keys'}` : `${found} of ${all} keys`;
