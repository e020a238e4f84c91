// API keys as they are stored (specification, 2.5 and 5): the id, the shape and the changes of a record.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** SHA-256 of a key's bytes, 64 lower-case hex digits: the id of its record. */
export type KeyHash = string & { readonly __brand: 'KeyHash' };

/** A stored key; times in milliseconds since the epoch. */
export interface KeyRecord {
  readonly active: boolean;
  readonly project: string | undefined;
  /** Whom to write to when the key leaks. */
  readonly contact: string | undefined;
  /** The hash of the key that this one was made to replace. */
  readonly rotates: string | undefined;
  readonly hint: string | undefined;
  readonly createdAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly createdBy: string | undefined;
  readonly revokedBy: string | undefined;
}

/** Parses a key's record. One written by hand may have `active` alone; only `true` admits. */
export const parseKeyRecord = (stored: Stored): KeyRecord => ({
  active: stored['active'] === true,
  project: storedText(stored['project']),
  contact: storedText(stored['contact']),
  rotates: storedText(stored['rotates']),
  hint: storedText(stored['hint']),
  createdAt: storedTimeMs(stored['createdAt']),
  revokedAt: storedTimeMs(stored['revokedAt']),
  createdBy: storedText(stored['createdBy']),
  revokedBy: storedText(stored['revokedBy']),
});

const HASH = /^[0-9a-f]{64}$/;
const KEY_ID_DIGITS = 12;
const HINT_CHARACTERS = 4;

/** @param key the key's own bytes, or its text, which is hashed as UTF-8 */
export const hashApiKey = (key: Uint8Array | string): KeyHash =>
  bytesToHex(sha256(typeof key === 'string' ? utf8ToBytes(key) : key)) as KeyHash;

/** @returns the id of a key's record, or undefined when it is no hash and so admits nobody */
export const parseKeyHash = (id: string): KeyHash | undefined =>
  HASH.test(id) ? (id as KeyHash) : undefined;

/** The short name of a key that is safe to show and to log: 12 hex digits of its hash. */
export const keyId = (hash: KeyHash): string => hash.slice(0, KEY_ID_DIGITS);

/**
 * A new key's record: of the key itself it stores no more than the last 4 characters.
 *
 * @param project whom the key is issued to
 * @param createdAt a date, or the SDK's server timestamp
 * @param createdBy an admin's uid, or the account that the command line ran as
 */
export const newKeyRecord = <Time>(
  key: string,
  project: string,
  createdAt: Time,
  createdBy: string,
  details: { readonly contact?: string; readonly rotates?: string } = {},
) => ({
  active: true,
  project,
  hint: key.slice(-HINT_CHARACTERS),
  createdAt,
  createdBy,
  ...details,
});

/**
 * The fields that revoking a key changes in its record.
 *
 * @param revokedBy an admin's uid, or the account that the command line ran as
 */
export const keyRevocation = <Time>(revokedAt: Time, revokedBy: string) => ({
  active: false,
  revokedAt,
  revokedBy,
});
