// Lists keys: what they may do, how much they are used, when they end, and whom to write to.

import { MODES } from '../../contract/endpoint.ts';
import { endsSoon, type StoredKey, shownState } from '../../records/apiKey.ts';
import { describeUse, isUnused, type KeyUse } from '../../records/keyUse.ts';
import { comparable } from '../../records/project.ts';
import { isoTime, minuteOf, note, print, printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { readKeys, readUse } from './records.ts';

interface ListOptions {
  /** The project whose keys are listed; undefined for all keys. */
  readonly project?: string;
  /** The last characters of a key, or the key. */
  readonly hint?: string;
  readonly active?: boolean;
  readonly unused?: boolean;
  readonly endsSoon?: boolean;
  readonly contacts?: boolean;
  readonly json?: boolean;
}

export async function listKeys({ db, nowMs }: Target, options: ListOptions): Promise<void> {
  const { project, hint, contacts, json } = options;
  const now = nowMs();
  const [stored, use] = await Promise.all([readKeys(db), readUse(db)]);
  const isActiveOnly = options.active || options.unused || contacts;
  const keys = stored
    .filter((key) => !isActiveOnly || shownState(key, now) === 'active')
    .filter(({ id }) => !options.unused || isUnused(use.get(id)))
    .filter((key) => !options.endsSoon || endsSoon(key, now))
    .filter((key) => hint === undefined || key.hint === hint.slice(-4))
    .filter((key) => project === undefined || comparable(key.project ?? '') === comparable(project))
    .map((key) => rowOf(key, use.get(key.id), now));
  if (json)
    await printJson(keys.map(({ faults, ...key }) => ({ ...key, faults: Object.keys(faults) })));
  else if (keys.length === 0) note('No key matches. `keys list` shows all keys.');
  else if (contacts) await printContacts(keys);
  else {
    const words = { active: 'ends', ended: 'ended', revoked: 'revoked', unusable: '' };
    await printTable(keys, {
      ID: ({ id }) => id,
      HINT: (key) => key.hint && `…${key.hint}`,
      STATE: ({ state, revokedAt, expiresAt }) => {
        const minute = minuteOf(state === 'revoked' ? revokedAt : expiresAt);
        return minute && words[state] ? `${words[state]} ${minute}` : state;
      },
      MODES: (key) => modesText(key.modes) + (key.readsPerSecond ? ` ${key.readsPerSecond}/s` : ''),
      'PROJECT (CONTACT), USE, CHANGES; TIMES IN UTC': (key) => sentencesOf(key).join('. '),
    });
    const [newest] = keys
      .flatMap((key) => key.use?.asOf ?? [])
      .sort()
      .reverse();
    if (newest) note(`The figures of use are of ${minuteOf(newest)} UTC.`);
  }
}

const rowOf = ({ hash, ...key }: StoredKey, use: KeyUse | undefined, now: number) => ({
  ...key,
  state: shownState({ hash, ...key }, now),
  // Zero stands for a value that is no time.
  expiresAt: isoTime(key.faults.expiresAt === undefined ? key.expiresAt : undefined),
  createdAt: isoTime(key.createdAt),
  changedAt: isoTime(key.changedAt),
  revokedAt: isoTime(key.revokedAt),
  use: use && { ...use, asOf: isoTime(use.asOf) },
});
type Row = ReturnType<typeof rowOf>;

function sentencesOf({ use, faults, ...key }: Row): string[] {
  const { project, contact, changedAt, changedBy, revokedBy, replacedBy } = key;
  return [
    project && project + (contact ? ` (${contact})` : ''),
    describeUse(use && { ...use, asOf: undefined }),
    replacedBy && `replaced by ${replacedBy}`,
    changedAt && `changed ${minuteOf(changedAt)} by ${changedBy ?? 'unknown'}`,
    revokedBy && `revoked by ${revokedBy}`,
    ...Object.values(faults),
  ].flatMap((sentence) => sentence || []);
}

async function printContacts(keys: readonly Row[]): Promise<void> {
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

const modesText = (modes: StoredKey['modes']): string =>
  modes.length === MODES.length ? 'all' : modes.join(',') || 'nothing';
