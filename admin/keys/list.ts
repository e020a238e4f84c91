// The command `keys list`: which keys, and how they are shown.

import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { escapeForTerminal } from '../../terminal/escape.ts';
import { readAdminNames } from '../admins/records.ts';
import { isoTime, minute, note, printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { type ListedKey, readKeys } from './records.ts';

export interface ListOptions {
  /** Whose keys: all of them where it is missing. */
  readonly project?: string;
  readonly active?: boolean;
  readonly json?: boolean;
}

/** More than an admin would want to read. */
const INVALID_SHOWN_MAX = 10;
const HEADING = [
  ...['ID', 'HINT', 'ACTIVE', 'CREATED (UTC)', 'CREATED BY', 'REVOKED (UTC)', 'REVOKED BY'],
  'PROJECT',
];

export async function listKeys(target: Target, options: ListOptions): Promise<void> {
  const { keys: all, invalidIds } = await readKeys(target.db);
  const keys = all.filter((key) => isMeant(key, options));
  if (options.json) await printJson(keys.map(jsonKey));
  else if (all.length === 0) note('There are no keys.');
  else if (keys.length === 0) note('There is no such key: `keys list` alone shows all there are.');
  else {
    const nameOf = await readAdminNames(target.db);
    await printTable(
      HEADING,
      keys.map((key) => [
        key.id,
        key.hint && `…${key.hint}`,
        key.active ? 'yes' : 'no',
        minute(key.createdAt),
        nameOf(key.createdBy),
        minute(key.revokedAt),
        nameOf(key.revokedBy),
        key.project,
      ]),
    );
  }
  if (invalidIds.length > 0) note(invalidIdsLine(invalidIds));
}

const isMeant = (key: ListedKey, { project, active }: ListOptions): boolean =>
  (!active || key.active) &&
  (project === undefined || key.project?.toLowerCase() === project.trim().toLowerCase());

const jsonKey = ({ id, project, hint, active, ...key }: ListedKey) => ({
  id,
  project: project ?? null,
  hint: hint ?? null,
  active,
  createdAt: isoTime(key.createdAt),
  createdBy: key.createdBy ?? null,
  revokedAt: isoTime(key.revokedAt),
  revokedBy: key.revokedBy ?? null,
});

function invalidIdsLine(ids: readonly string[]): string {
  const shown = ids.slice(0, INVALID_SHOWN_MAX).map(invalidIdName);
  const others = ids.length > shown.length ? `, and ${ids.length - shown.length} more` : '';
  return (
    `Left out of the collection apiKeys, since the id is not a SHA-256 hash and admits nobody: ` +
    `${shown.join(', ')}${others}.`
  );
}

/** A key itself, stored in place of its hash, is not repeated in a terminal. */
const invalidIdName = (id: string): string =>
  API_KEY_PATTERN.test(id)
    ? `a key itself that ends in ${id.slice(-4)} (revoke what it was meant for, and delete it)`
    : escapeForTerminal(id);
