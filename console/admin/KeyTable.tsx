// The list of keys: searching, filtering, and showing a thousand of them step by step.

import { useState } from 'preact/hooks';
import { KeyRow, type KeyRowProps } from './KeyRow.tsx';
import type { StoredKey } from './keyStore.ts';

interface Props extends Omit<KeyRowProps, 'stored'> {
  readonly keys: readonly StoredKey[];
}

/** A thousand rows at once would make typing slow. */
const STEP = 100;

export function KeyTable({ keys, ...rest }: Props) {
  const [search, setSearch] = useState('');
  const [isActiveOnly, setIsActiveOnly] = useState(false);
  const [limit, setLimit] = useState(STEP);

  const wanted = search.trim().toLowerCase();
  const found = keys.filter(
    ({ active, project, hint, hash }) =>
      (active || !isActiveOnly) &&
      [project, hint, hash].some((text) => text?.toLowerCase().includes(wanted)),
  );
  const shown = found.slice(0, limit);

  return (
    <>
      <div class="filters">
        <label class="search">
          <span class="visually-hidden">Search</span>
          <input
            type="search"
            placeholder="Search by project, id or last characters"
            value={search}
            onInput={(event) => {
              setSearch(event.currentTarget.value);
              setLimit(STEP);
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isActiveOnly}
            onChange={(event) => setIsActiveOnly(event.currentTarget.checked)}
          />
          Active only
        </label>
        <p class="muted count" role="status">
          {describeCount(keys.length, found.length)}
        </p>
      </div>
      {found.length === 0 ? (
        <p class="card empty">No key fits. Clear the search or “Active only” to see more.</p>
      ) : (
        <table class="keys">
          <thead>
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
          <tbody>
            {shown.map((stored) => (
              <KeyRow key={stored.hash} stored={stored} {...rest} />
            ))}
          </tbody>
        </table>
      )}
      {found.length > shown.length && (
        <button type="button" class="more" onClick={() => setLimit(limit + STEP)}>
          Show {Math.min(STEP, found.length - shown.length)} more
        </button>
      )}
    </>
  );
}

const describeCount = (all: number, found: number): string =>
  found === all ? `${all} ${all === 1 ? 'key' : 'keys'}` : `${found} of ${all} keys`;
