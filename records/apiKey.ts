// The records of API keys (specification, 2.5 and 5): their ids, fields and changes.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DAY_MS, MODES, type Mode } from '../contract/endpoint.ts';
import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** The SHA-256 of a key's bytes as 64 lower-case hex digits. It is the id of the key's record. */
export type KeyHash = string & { readonly __brand: 'KeyHash' };

/**
 * Parses a key's record. A hand-written record may have only `active`. Only `true` grants access. With invalid
 * modes the key may do nothing, and with an invalid end it has ended.
 */
export const parseKeyRecord = (stored: Stored) => ({
  active: stored['active'] === true,
  modes: parseModes(stored['modes']),
  /** When the key ends. Undefined if it never does. */
  expiresAt: parseEnd(stored['expiresAt']),
  /** How many document reads the key may cause on each instance. Undefined if the deployment's limit applies. */
  readsPerSecond: parseRate(stored['readsPerSecond']),
  project: storedText(stored['project']),
  /** Who to contact if the key leaks. */
  contact: storedText(stored['contact']),
  hint: storedText(stored['hint']),
  createdAt: storedTimeMs(stored['createdAt']),
  revokedAt: storedTimeMs(stored['revokedAt']),
  createdBy: storedText(stored['createdBy']),
  revokedBy: storedText(stored['revokedBy']),
  changedAt: storedTimeMs(stored['changedAt']),
  changedBy: storedText(stored['changedBy']),
  /** The id of the key that was created in place of this one. */
  replacedBy: storedText(stored['replacedBy']),
});
export type KeyRecord = Readonly<ReturnType<typeof parseKeyRecord>>;

/**
 * What an admin decides about a key, and may change while the key is active. A missing or undefined field means no such
 * limit, or no contact.
 */
export type KeyDetails = Partial<
  Pick<KeyRecord, 'contact' | 'modes' | 'expiresAt' | 'readsPerSecond'>
>;

/** How people name the modes of a lookup. */
export const MODE_NAMES: Readonly<Record<Mode, string>> = {
  wallet: 'wallet',
  email: 'e-mail address',
  token: 'token',
};

/** As in "lookups only by wallet or token, 500 reads a second, ends 1 Dec 2026, 09:00". */
export function describeRights(
  { modes = MODES, expiresAt, readsPerSecond }: KeyDetails,
  nowMs: number,
  formatTime: (ms: number) => string,
): string {
  const names = modes.map((mode) => MODE_NAMES[mode]).join(' or ') || 'nothing';
  return [
    modes.length === MODES.length ? 'all lookups' : `lookups only by ${names}`,
    readsPerSecond !== undefined && `${readsPerSecond} reads a second`,
    expiresAt !== undefined && `${expiresAt > nowMs ? 'ends' : 'ended'} ${formatTime(expiresAt)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** @returns no mode if the field is not an array of modes */
function parseModes(value: unknown): readonly Mode[] {
  if (value === undefined) return MODES;
  const isValid = Array.isArray(value) && value.every((mode) => MODES.includes(mode));
  return isValid ? MODES.filter((mode) => value.includes(mode)) : [];
}

/** @returns an end in the past if the field is not a Timestamp */
const parseEnd = (value: unknown): number | undefined =>
  value === undefined ? undefined : (storedTimeMs(value) ?? 0);

const parseRate = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

/** The states of a key. Only an active key is admitted. */
export type KeyState = 'active' | 'ended' | 'revoked';

export function keyStateAt({ active, expiresAt = Infinity }: KeyRecord, nowMs: number): KeyState {
  if (!active) return 'revoked';
  return nowMs < expiresAt ? 'active' : 'ended';
}

/** Also works in browsers. */
export const hashApiKey = (key: string): KeyHash => bytesToHex(sha256(utf8ToBytes(key))) as KeyHash;

const HASH = /^[0-9a-f]{64}$/;

/** The short id of a key, which is the first 12 hex digits of its hash. It is safe to show and to log. */
export const keyId = (hash: KeyHash): string => hash.slice(0, 12);

/** What is wrong in a record that was written by hand, by field. The function treats the record like this. */
const FAULTS = {
  id: 'Its id is not a lower-case SHA-256, so it does not work',
  active: 'Its field “active” is neither true nor false, so it does not work',
  expiresAt: 'Its field “expiresAt” is not a timestamp, so it does not work',
  modes: 'Its field “modes” is not a list of modes, so it may look up nothing',
  readsPerSecond:
    'Its field “readsPerSecond” is not a whole number above 0, so the deployment’s limit applies',
};

/** A key as admins see it. */
export interface StoredKey extends KeyRecord {
  /** The document's id, which is the key's hash if the record is valid. */
  readonly hash: string;
  /** The key id that logs and pages show. */
  readonly id: string;
  /** The fields with a wrong value, each with what follows from it. */
  readonly faults: Readonly<Partial<typeof FAULTS>>;
}

/** @param recordId the document's id. One that is not a hash may be a key, so only its beginning is shown. */
export function parseStoredKey(recordId: string, stored: Stored): StoredKey {
  const isHash = HASH.test(recordId);
  const key = parseKeyRecord(stored);
  const isFaulty: Record<string, boolean> = {
    id: !isHash,
    active: typeof stored['active'] !== 'boolean',
    expiresAt: 'expiresAt' in stored && storedTimeMs(stored['expiresAt']) === undefined,
    modes: key.modes.length === 0,
    readsPerSecond: 'readsPerSecond' in stored && key.readsPerSecond === undefined,
  } satisfies Record<keyof typeof FAULTS, boolean>;
  const faults = Object.entries(FAULTS).filter(([field]) => isFaulty[field]);
  return {
    ...key,
    hash: recordId,
    id: isHash ? keyId(recordId as KeyHash) : `${recordId.slice(0, 4)}…`,
    faults: Object.fromEntries(faults),
  };
}

/** The state that admins see. An unusable key is refused because of its record, and nobody revoked it. */
export function shownState(key: StoredKey, nowMs: number): KeyState | 'unusable' {
  const { id, active, expiresAt } = key.faults;
  const isUnusable = (id ?? active) !== undefined || (expiresAt !== undefined && key.active);
  return isUnusable ? 'unusable' : keyStateAt(key, nowMs);
}

const SOON_MS = 14 * DAY_MS;

/** Whether the key is active and ends within two weeks. */
export const endsSoon = (key: StoredKey, nowMs: number): boolean =>
  shownState(key, nowMs) === 'active' && (key.expiresAt ?? Infinity) <= nowMs + SOON_MS;

/** When a key ends whose last day this is, as in `2026-11-28` (UTC). The day counts in full. */
export const endOfDay = (day: string): number => Date.parse(day) + DAY_MS;
