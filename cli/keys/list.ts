// Lists keys: what they may do, when they end, and whom to write to.

import { type KeyRights, keyStateAt, MODES } from '../../records/apiKey.ts';
import { comparable } from '../../records/project.ts';
import { isoTime, note, print, printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListedKey, readKeys } from './records.ts';

export interface ListOptions {
  /** The project whose keys are listed; undefined for all keys. */
  readonly project?: string;
  /** The last characters of a key, or the key. */
  readonly hint?: string;
  readonly active?: boolean;
  readonly contacts?: boolean;
  readonly json?: boolean;
}

export async function listKeys(
  { db, nowMs }: Target,
  { project, hint, active, contacts, json }: ListOptions,
): Promise<void> {
  const keys = await readKeys(db);
  const now = nowMs();
  const listed = keys
    .filter((key) => !(active || contacts) || keyStateAt(key, now) === 'active')
    .filter((key) => hint === undefined || key.hint === hint.slice(-4))
    .filter(
      (key) => project === undefined || comparable(key.project ?? '') === comparable(project),
    );
  if (json) await printJson(listed.map((key) => rowOf(key, now)));
  else if (listed.length === 0) {
    const isEmpty = keys.length === 0;
    note(isEmpty ? 'There are no keys.' : 'No key matches. `keys list` shows all keys.');
  } else if (contacts) await printContacts(listed);
  else {
    await printTable(
      ['ID', 'HINT', 'STATE', 'MODES', 'PROJECT (CONTACT)'],
      listed.map((key) => cellsOf(key, now)),
    );
  }
}

async function printContacts(keys: readonly ListedKey[]): Promise<void> {
  const contacts = new Set(keys.flatMap(({ contact }) => contact ?? []));
  await print(
    [...contacts]
      .sort()
      .map((contact) => `${escapeForTerminal(contact)}\n`)
      .join(''),
  );
  const without = keys.filter(({ contact }) => contact === undefined).map(({ id }) => id);
  if (without.length > 0) note(`These active keys have no contact: ${without.join(', ')}.`);
}

/** A key as `--json` prints it. */
const rowOf = (key: ListedKey, nowMs: number) => ({
  id: key.id,
  project: key.project ?? null,
  contact: key.contact ?? null,
  hint: key.hint ?? null,
  /** Whether it is not revoked. */
  active: key.active,
  state: keyStateAt(key, nowMs),
  modes: key.modes,
  readsPerSecond: key.readsPerSecond ?? null,
  expiresAt: isoTime(key.expiresAt),
  createdAt: isoTime(key.createdAt),
  createdBy: key.createdBy ?? null,
  revokedAt: isoTime(key.revokedAt),
  revokedBy: key.revokedBy ?? null,
});

function cellsOf(key: ListedKey, nowMs: number): (string | undefined)[] {
  const state = keyStateAt(key, nowMs);
  const day = isoTime(state === 'revoked' ? key.revokedAt : key.expiresAt)?.slice(0, 10);
  const words = { active: 'ends', ended: 'ended', revoked: 'revoked' };
  const modes = key.modes.length === MODES.length ? 'all' : key.modes.join(',') || 'nothing';
  const rate = key.readsPerSecond === undefined ? '' : ` ${key.readsPerSecond}/s`;
  const contact = key.contact === undefined ? '' : ` (${key.contact})`;
  return [
    key.id,
    key.hint && `…${key.hint}`,
    day ? `${words[state]} ${day}` : state,
    modes + rate,
    key.project && key.project + contact,
  ];
}

/** As in "token, 500 reads/s, ends 2026-12-01". */
export function rightsText({ modes = MODES, expiresAt, readsPerSecond }: KeyRights): string {
  const limits = [
    modes.length === MODES.length ? 'all modes' : modes.join(', ') || 'no modes',
    readsPerSecond && `${readsPerSecond} reads/s`,
    expiresAt && `ends ${expiresAt.toISOString().slice(0, 10)}`,
  ];
  return limits.filter(Boolean).join(', ');
}
