// Exports the list of keys as a CSV file for spreadsheets.

import type { StoredKey } from './keyStore.ts';
import type { NameActor } from './shared.ts';

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

/** @returns the lines of the file */
export const csv = (keys: readonly StoredKey[], nameActor: NameActor): string =>
  [
    Object.keys(COLUMNS),
    ...keys.map((key) => Object.values(COLUMNS).map((of) => of(key, nameActor))),
  ]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('');

/** Saves the keys as `api-keys.csv`. */
export function exportKeys(keys: readonly StoredKey[], nameActor: NameActor): void {
  // The byte order mark tells spreadsheets that the file is UTF-8.
  const file = new Blob(['\ufeff', csv(keys, nameActor)], { type: 'text/csv' });
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = 'api-keys.csv';
  link.click();
  URL.revokeObjectURL(address);
}
