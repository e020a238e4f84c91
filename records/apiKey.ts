// The records of API keys (specification, 2.5 and 5): their ids, fields and changes.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { MODES, type Mode } from '../contract/endpoint.ts';
import { normalizeName } from './project.ts';
import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** The SHA-256 of a key's bytes as 64 lower-case hex digits. It is the id of the key's record. */
export type KeyHash = string & { readonly __brand: 'KeyHash' };

/** What a new key may do. Without a right, the key is not limited in that respect. */
export interface KeyRights {
  readonly modes?: readonly Mode[];
  readonly expiresAt?: Date;
  /** The document reads per second that the key may cause on each instance, a positive integer. */
  readonly readsPerSecond?: number;
}

/**
 * Parses a key's record. A hand-written record may have only `active`. Only `true` grants access. With invalid
 * modes the key may do nothing, and with an invalid end it has ended. Times are in milliseconds.
 */
export const parseKeyRecord = (stored: Stored) => ({
  active: stored['active'] === true,
  modes: parseModes(stored['modes']),
  /** When the key ends. Undefined if it never does. */
  expiresAt: parseEnd(stored['expiresAt']),
  /** Undefined if the deployment's limit applies. */
  readsPerSecond: parseRate(stored['readsPerSecond']),
  project: storedText(stored['project']),
  /** Who to contact if the key leaks. */
  contact: storedText(stored['contact']),
  hint: storedText(stored['hint']),
  createdAt: storedTimeMs(stored['createdAt']),
  revokedAt: storedTimeMs(stored['revokedAt']),
  createdBy: storedText(stored['createdBy']),
  revokedBy: storedText(stored['revokedBy']),
});
export type KeyRecord = Readonly<ReturnType<typeof parseKeyRecord>>;

/** @returns no mode if the field is not an array of modes */
function parseModes(value: unknown): readonly Mode[] {
  if (value === undefined) return MODES;
  return Array.isArray(value) && value.every((mode) => MODES.includes(mode)) ? value : [];
}

/** @returns an end in the past if the field is not a Timestamp */
const parseEnd = (value: unknown): number | undefined =>
  value === undefined ? undefined : (storedTimeMs(value) ?? 0);

const parseRate = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

/** The states of a key. Only an active key is admitted. */
export type KeyState = 'active' | 'ended' | 'revoked';

/** @param nowMs milliseconds since the epoch */
export function keyStateAt({ active, expiresAt = Infinity }: KeyRecord, nowMs: number): KeyState {
  if (!active) return 'revoked';
  return nowMs < expiresAt ? 'active' : 'ended';
}

/** Also works in browsers. */
export const hashApiKey = (key: string): KeyHash => bytesToHex(sha256(utf8ToBytes(key))) as KeyHash;

/** @returns the hash, or undefined if the id is not a SHA-256 hash, in which case no key can match it */
export const parseKeyHash = (id: string): KeyHash | undefined =>
  /^[0-9a-f]{64}$/.test(id) ? (id as KeyHash) : undefined;

/** The short id of a key, which is the first 12 hex digits of its hash. It is safe to show and to log. */
export const keyId = (hash: KeyHash): string => hash.slice(0, 12);

/**
 * A new key's record. It stores only the last 4 characters of the key itself.
 *
 * @param project the project that the key is issued to
 * @param createdAt a date, or the SDK's server timestamp
 * @param createdBy an admin's uid, or the account that the command line ran as
 */
export const newKeyRecord = <Time>(
  key: string,
  project: string,
  createdAt: Time,
  createdBy: string,
  { contact, ...rights }: KeyRights & { readonly contact?: string } = {},
) => ({
  active: true,
  project: normalizeName(project),
  hint: key.slice(-4),
  createdAt,
  createdBy,
  ...(contact !== undefined && { contact: normalizeName(contact) }),
  ...rights,
});

/** The fields that revoking a key changes in its record. @param revokedBy as `createdBy` of a new one */
export const keyRevocation = <Time>(revokedAt: Time, revokedBy: string) => ({
  active: false,
  revokedAt,
  revokedBy,
});

/** The fields that an end changes in a key's record. Undefined if it ends by then anyway, because none is put off. */
export const keyEnd = ({ expiresAt = Infinity }: KeyRecord, end: Date) =>
  end.getTime() < expiresAt ? { expiresAt: end } : undefined;
