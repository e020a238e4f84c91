// The list of keys, with search and filter. Keys that end soon come first.
// On a narrow screen each row of the table is a card.

import { useState } from 'preact/hooks';
import { comparable } from '../../records/project.ts';
import { KeyRow } from './KeyRow.tsx';
import { endsSoon, type StoredKey, stateAt } from './keyStore.ts';
import { useShared } from './shared.ts';

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
  const isSoon = (key: StoredKey): number => Number(endsSoon(key, nowMs));
  const found = keys
    .filter((key) => (!isActiveOnly || stateAt(key, nowMs) === 'active') && matches(key, wanted))
    .sort((a, b) => isSoon(b) - isSoon(a));
  return (
    <>
      <div class="row spaced">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search by project, contact, id or last characters"
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
            ? `${keys.length} keys`
            : `${found.length} of ${keys.length} keys match`}
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
