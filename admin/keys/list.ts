// The command `keys list`: selects keys and prints them.

import { keyId, parseKeyHash } from '../../records/apiKey.ts';
import { comparable } from '../../records/project.ts';
import { readAdminNames } from '../admins/records.ts';
import { isoTime, minuteOf, note, printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { type ListedKey, readKeys } from './records.ts';

export interface ListOptions {
  /** The project whose keys are listed; undefined for all keys. */
  readonly project?: string;
  readonly active?: boolean;
  /** Also shows who created and revoked each key and at what time, and the key it replaces. */
  readonly long?: boolean;
  readonly json?: boolean;
}

/** The usual width of a terminal. */
const COLUMNS = 80;
const SHORT = ['ID', 'HINT', 'CREATED', 'STATE', 'PROJECT (CONTACT)'];
const LONG = [
  'ID',
  'HINT',
  'ACTIVE',
  'CREATED (UTC)',
  'CREATED BY',
  'REVOKED (UTC)',
  'REVOKED BY',
  'REPLACES',
  'CONTACT',
  'PROJECT',
];

export async function listKeys(
  { db }: Target,
  { project, active, long, json }: ListOptions,
): Promise<void> {
  const { keys, invalidIds } = await readKeys(db);
  const rows = keys
    .filter((key) => !active || key.active)
    .filter((key) => project === undefined || comparable(key.project ?? '') === comparable(project))
    .map(rowOf);
  if (json) await printJson(rows);
  else if (rows.length === 0) {
    const isEmpty = keys.length === 0;
    note(isEmpty ? 'There are no keys.' : 'No key matches. `keys list` shows all keys.');
  } else if (long) {
    const nameOf = await readAdminNames(db);
    await printTable(
      LONG,
      rows.map((row) => longCells(row, nameOf)),
    );
  } else await printTable(SHORT, rows.map(shortCells), COLUMNS);
  if (invalidIds.length > 0) {
    // Only the ends, because somebody may have stored a key in place of its hash.
    const ends = invalidIds.slice(0, 10).map((id) => JSON.stringify(`…${id.slice(-4)}`));
    note(
      `No key can match ${invalidIds.length} of the records in apiKeys, because their id is not a SHA-256 hash. ` +
        `The ids end in ${ends.join(', ')}. If one of them is a key, revoke it, and delete the record.`,
    );
  }
}

/** A key as `--json` prints it. */
const rowOf = (key: ListedKey) => {
  const rotated = parseKeyHash(key.rotates ?? '');
  return {
    id: key.id,
    project: key.project ?? null,
    contact: key.contact ?? null,
    hint: key.hint ?? null,
    active: key.active,
    /** The id of the key that this one replaces. */
    rotates: rotated ? keyId(rotated) : null,
    createdAt: isoTime(key.createdAt),
    createdBy: key.createdBy ?? null,
    revokedAt: isoTime(key.revokedAt),
    revokedBy: key.revokedBy ?? null,
  };
};
type Row = ReturnType<typeof rowOf>;

const shownHint = ({ hint }: Row): string | null => hint && `…${hint}`;

function shortCells(row: Row): (string | null | undefined)[] {
  const revoked = row.revokedAt ? `revoked ${row.revokedAt.slice(0, 10)}` : 'inactive';
  const contact = row.contact === null ? '' : ` (${row.contact})`;
  return [
    row.id,
    shownHint(row),
    row.createdAt?.slice(0, 10),
    row.active ? 'active' : revoked,
    row.project && row.project + contact,
  ];
}

const longCells = (row: Row, nameOf: (actor: string | null) => string | null) => [
  row.id,
  shownHint(row),
  row.active ? 'yes' : 'no',
  minuteOf(row.createdAt),
  nameOf(row.createdBy),
  minuteOf(row.revokedAt),
  nameOf(row.revokedBy),
  row.rotates,
  row.contact,
  row.project,
];
