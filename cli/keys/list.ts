// Lists keys: what they may do, when they end, and whom to write to.

import { MODES, type Mode } from '../../contract/endpoint.ts';
import { type KeyRights, keyStateAt } from '../../records/apiKey.ts';
import { comparable } from '../../records/project.ts';
import { isoTime, note, print, printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListedKey, readKeys } from './records.ts';

interface ListOptions {
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
  const now = nowMs();
  const keys = (await readKeys(db))
    .filter((key) => !(active || contacts) || keyStateAt(key, now) === 'active')
    .filter((key) => hint === undefined || key.hint === hint.slice(-4))
    .filter((key) => project === undefined || comparable(key.project ?? '') === comparable(project))
    .map(({ hash: _, ...key }) => ({
      ...key,
      state: keyStateAt(key, now),
      expiresAt: isoTime(key.expiresAt),
      createdAt: isoTime(key.createdAt),
      revokedAt: isoTime(key.revokedAt),
    }));
  if (json) await printJson(keys);
  else if (keys.length === 0) note('No key matches. `keys list` shows all keys.');
  else if (contacts) await printContacts(keys);
  else {
    const words = { active: 'ends', ended: 'ended', revoked: 'revoked' };
    await printTable(keys, {
      ID: ({ id }) => id,
      HINT: (key) => key.hint && `…${key.hint}`,
      STATE: ({ state, revokedAt, expiresAt }) => {
        const day = (state === 'revoked' ? revokedAt : expiresAt)?.slice(0, 10);
        return day ? `${words[state]} ${day}` : state;
      },
      MODES: (key) => modesText(key.modes) + (key.readsPerSecond ? ` ${key.readsPerSecond}/s` : ''),
      'PROJECT (CONTACT)': (key) =>
        key.project && key.project + (key.contact ? ` (${key.contact})` : ''),
    });
  }
}

type Contacts = readonly Pick<ListedKey, 'id' | 'contact'>[];

async function printContacts(keys: Contacts): Promise<void> {
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

const modesText = (modes: readonly Mode[]): string =>
  modes.length === MODES.length ? 'all' : modes.join(',') || 'nothing';

/** As in "modes: token, 500 reads/s, ends 2026-12-01". */
export function rightsText({ modes = MODES, expiresAt, readsPerSecond }: KeyRights): string {
  const limits = [
    `modes: ${modesText(modes)}`,
    readsPerSecond && `${readsPerSecond} reads/s`,
    expiresAt && `ends ${expiresAt.toISOString().slice(0, 10)}`,
  ];
  return limits.filter(Boolean).join(', ');
}
