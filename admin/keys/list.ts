// The command `keys list`: selects keys and prints them.

import { keyId, parseKeyHash } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { comparable } from '../../records/project.ts';
import { readAdminNames } from '../admins/records.ts';
import { isoTime, note, printJson, printTable, utcMinute } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListedKey, readKeys } from './records.ts';

export interface ListOptions {
  /** The project whose keys are listed; undefined for all keys. */
  readonly project?: string;
  readonly active?: boolean;
  /** Also shows who created and revoked each key and at what time, and the key it replaces. */
  readonly long?: boolean;
  readonly json?: boolean;
}

/** An admin would not read more. */
const INVALID_SHOWN_MAX = 10;
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

export async function listKeys(target: Target, options: ListOptions): Promise<void> {
  const { keys: all, invalidIds } = await readKeys(target.db);
  const keys = all.filter((key) => matchesOptions(key, options));
  if (options.json) await printJson(keys.map(jsonKey));
  else if (all.length === 0) note('There are no keys.');
  else if (keys.length === 0) note('No key matches. `keys list` without options shows all keys.');
  else if (options.long) await printLong(target, keys);
  else await printTable(SHORT, keys.map(shortRow), COLUMNS);
  if (invalidIds.length > 0) note(invalidIdsLine(invalidIds));
}

const shownHint = ({ hint }: ListedKey): string | undefined => hint && `…${hint}`;

function shortRow(key: ListedKey): readonly (string | undefined)[] {
  const day = (ms: number | undefined) => utcMinute(ms)?.slice(0, 10);
  const revoked = day(key.revokedAt);
  const inactive = revoked === undefined ? 'inactive' : `revoked ${revoked}`;
  const contact = key.contact === undefined ? '' : ` (${key.contact})`;
  const state = key.active ? 'active' : inactive;
  return [key.id, shownHint(key), day(key.createdAt), state, key.project && key.project + contact];
}

async function printLong({ db }: Target, keys: readonly ListedKey[]): Promise<void> {
  const nameOf = await readAdminNames(db);
  const rows = keys.map((key) => [
    key.id,
    shownHint(key),
    key.active ? 'yes' : 'no',
    utcMinute(key.createdAt),
    nameOf(key.createdBy),
    utcMinute(key.revokedAt),
    nameOf(key.revokedBy),
    replacedId(key),
    key.contact,
    key.project,
  ]);
  await printTable(LONG, rows);
}

/** The id of the key that this one replaces. */
function replacedId({ rotates = '' }: ListedKey): string | undefined {
  const hash = parseKeyHash(rotates);
  return hash && keyId(hash);
}

const matchesOptions = (key: ListedKey, { project, active }: ListOptions): boolean =>
  (!active || key.active) &&
  (project === undefined || comparable(key.project ?? '') === comparable(project));

const jsonKey = (key: ListedKey) => ({
  id: key.id,
  project: key.project ?? null,
  contact: key.contact ?? null,
  hint: key.hint ?? null,
  active: key.active,
  rotates: replacedId(key) ?? null,
  createdAt: isoTime(key.createdAt),
  createdBy: key.createdBy ?? null,
  revokedAt: isoTime(key.revokedAt),
  revokedBy: key.revokedBy ?? null,
});

function invalidIdsLine(ids: readonly string[]): string {
  const shown = ids.slice(0, INVALID_SHOWN_MAX).map(invalidIdName);
  const others = ids.length > shown.length ? `, and ${ids.length - shown.length} more` : '';
  return (
    'These records of the collection apiKeys are omitted. No key can match them, because their id is ' +
    `not a SHA-256 hash: ${shown.join(', ')}${others}.`
  );
}

/** Names an invalid id. A key that was stored in place of its hash is not repeated in a terminal. */
const invalidIdName = (id: string): string =>
  API_KEY_PATTERN.test(id)
    ? `an API key that ends in ${id.slice(-4)} (revoke the key, and delete this record)`
    : escapeForTerminal(id);
