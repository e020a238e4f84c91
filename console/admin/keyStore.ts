// Reads and writes API keys in the database, and reads its admins, as firestore.rules allows admins to.
// A key's text is used only to hash it.

import {
  collection,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  limit,
  orderBy,
  query,
  runTransaction,
  serverTimestamp,
  updateDoc,
} from 'firebase/firestore/lite';
import { parseAdminRecord } from '../../records/admin.ts';
import {
  hashApiKey,
  type KeyRecord,
  keyId,
  keyRevocation,
  newKeyRecord,
  parseKeyHash,
  parseKeyRecord,
} from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import type { Stored } from '../../records/storedValues.ts';
import { withTimeout } from '../problems.ts';

/** `not usable`: the key was not revoked, but its record is invalid, so the key does not work. */
export type KeyState = 'active' | 'revoked' | 'not usable';

/** A stored key; times in milliseconds since the epoch. */
export interface StoredKey extends KeyRecord {
  /** The document id, which is the key's SHA-256 if the record is valid. */
  readonly hash: string;
  /** The key id that logs and pages show. */
  readonly id: string;
  readonly state: KeyState;
  /** Why the key is not usable. */
  readonly fault?: string;
}

export interface NewKey {
  readonly project: string;
  readonly contact?: string;
}

function parse(recordId: string, data: Stored): StoredKey {
  const record = parseKeyRecord(data);
  const hash = parseKeyHash(recordId);
  const key = { ...record, hash: recordId, id: hash ? keyId(hash) : recordId };
  if (!hash) return { ...key, state: 'not usable', fault: 'Its id is not a lower-case SHA-256' };
  if (record.active) return { ...key, state: 'active' };
  if (data['active'] === false) return { ...key, state: 'revoked' };
  return { ...key, state: 'not usable', fault: 'Its field “active” is neither true nor false' };
}

/** The number of keys to show first, and to read again when the tab becomes visible. */
export const PAGE_KEYS = 100;

/**
 * Reads all keys, newest first. Hand-written records without a time come last.
 *
 * @param before the keys from the previous read; if given, only the most recently created and revoked keys are read
 */
export async function readKeys(
  db: Firestore,
  before: readonly StoredKey[] | undefined,
): Promise<StoredKey[]> {
  const all = collection(db, COLLECTIONS.apiKeys);
  const latestBy = (field: string) => query(all, orderBy(field, 'desc'), limit(PAGE_KEYS));
  const queries = before ? [latestBy('createdAt'), latestBy('revokedAt')] : [all];
  const snapshots = await withTimeout(Promise.all(queries.map((one) => getDocs(one))));
  const records = snapshots.flatMap(({ docs }) => docs);
  const keys = records.map((record) => parse(record.id, record.data()));
  const byHash = new Map([...(before ?? []), ...keys].map((key) => [key.hash, key]));
  return [...byHash.values()].sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}

/**
 * Stores the record of a new key, and returns once the database has confirmed it. After a failure it
 * can be called again with the same key, which is stored only once.
 *
 * @param onStored called when the database confirms the record, even if this has failed before
 */
export function storeKey(
  db: Firestore,
  key: string,
  { project, ...details }: NewKey,
  uid: string,
  onStored: () => void,
): Promise<void> {
  const record = doc(db, COLLECTIONS.apiKeys, hashApiKey(key));
  const stored = runTransaction(db, async (transaction) => {
    // Only an earlier attempt whose confirmation was lost can have stored it.
    if ((await transaction.get(record)).exists()) return;
    transaction.set(record, newKeyRecord(key, project, serverTimestamp(), uid, details));
  });
  return withTimeout(stored.then(onStored));
}

/**
 * Revokes a key.
 *
 * @returns the key, which another admin may have revoked first or whose record may be unusable; undefined
 *   if it no longer has a record
 */
export async function revokeKey(
  db: Firestore,
  hash: string,
  uid: string,
): Promise<StoredKey | undefined> {
  const record = doc(db, COLLECTIONS.apiKeys, hash);
  let refusal: unknown;
  try {
    await withTimeout(updateDoc(record, keyRevocation(serverTimestamp(), uid)));
  } catch (error) {
    refusal = error;
  }
  const stored = (await withTimeout(getDoc(record))).data();
  const key = stored && parse(hash, stored);
  if (key?.active) throw refusal ?? new Error('the key is still active');
  return key;
}

/** The e-mail address of each admin, including revoked ones, by uid. */
export type AdminEmails = ReadonlyMap<string, string | undefined>;

export async function readAdminEmails(db: Firestore): Promise<AdminEmails> {
  const { docs } = await withTimeout(getDocs(collection(db, COLLECTIONS.admins)));
  return new Map(docs.map((record) => [record.id, parseAdminRecord(record.data()).email]));
}
