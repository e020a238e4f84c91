// Exports the list of keys as a CSV file for spreadsheets.

import type { StoredKey } from './keyStore.ts';
import type { NameActor } from './shared.ts';

const COLUMNS = [
  'id',
  'project',
  'contact',
  'ends in',
  'state',
  'created',
  'created by',
  'revoked',
  'revoked by',
];

/** Quotes a cell. Puts an apostrophe before a possible formula, because other people choose the names. */
const cell = (text = ''): string =>
  `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;

const time = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

const line = (cells: readonly (string | undefined)[]): string => `${cells.map(cell).join(',')}\r\n`;

/** @returns the lines of the file */
export const csv = (keys: readonly StoredKey[], nameActor: NameActor): string =>
  [
    COLUMNS,
    ...keys.map((key) => [
      key.id,
      key.project,
      key.contact,
      key.hint,
      key.state,
      time(key.createdAt),
      key.createdBy && nameActor(key.createdBy),
      time(key.revokedAt),
      key.revokedBy && nameActor(key.revokedBy),
    ]),
  ]
    .map(line)
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
