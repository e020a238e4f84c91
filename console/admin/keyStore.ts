// API keys in the database, as firestore.rules let an admin read and write them. The text of a key
// gets here only to be hashed.

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
import { inTime } from '../problems.ts';

/** `not usable`: the record admits nobody although nobody revoked it. */
export type KeyState = 'active' | 'revoked' | 'not usable';

/** A stored key; times in milliseconds since the epoch. */
export interface StoredKey extends KeyRecord {
  /** The record's id: the key's SHA-256, if the record is of any use. */
  readonly hash: string;
  /** The short name. */
  readonly id: string;
  readonly state: KeyState;
  /** Why it is not usable. */
  readonly fault?: string;
}

export interface NewKey {
  readonly project: string;
  readonly contact?: string;
  /** The hash of the key that it is to replace. */
  readonly rotates?: string;
}

const keyDocument = (db: Firestore, hash: string) => doc(db, COLLECTIONS.apiKeys, hash);

function parse(recordId: string, data: Stored): StoredKey {
  const record = parseKeyRecord(data);
  const hash = parseKeyHash(recordId);
  const key = { ...record, hash: recordId, id: hash ? keyId(hash) : recordId };
  if (!hash) return { ...key, state: 'not usable', fault: 'Its id is not a SHA-256 in lower case' };
  if (record.active) return { ...key, state: 'active' };
  if (data['active'] === false) return { ...key, state: 'revoked' };
  return { ...key, state: 'not usable', fault: 'Its field “active” is neither true nor false' };
}

/** Shown first, and read again when the tab is looked at again. */
export const PAGE_KEYS = 100;

/**
 * Reads all keys, the newest first; those without a time, written by hand, last.
 *
 * @param before the keys as they were read before; then only the latest that were made or revoked
 *   are read again
 */
export async function readKeys(
  db: Firestore,
  before: readonly StoredKey[] | undefined,
): Promise<StoredKey[]> {
  const all = collection(db, COLLECTIONS.apiKeys);
  const latestBy = (field: string) => query(all, orderBy(field, 'desc'), limit(PAGE_KEYS));
  const queries = before ? [latestBy('createdAt'), latestBy('revokedAt')] : [all];
  const snapshots = await inTime(Promise.all(queries.map((one) => getDocs(one))));
  const records = snapshots.flatMap(({ docs }) => docs);
  const keys = records.map((record) => parse(record.id, record.data()));
  const byHash = new Map([...(before ?? []), ...keys].map((key) => [key.hash, key]));
  return [...byHash.values()].sort(
    (a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || (a.id < b.id ? -1 : 1),
  );
}

/** Ends a transaction that has nothing to write. */
class AlreadyStored extends Error {}

/**
 * Stores the record of a key that is to be shown, and returns once the database has acknowledged it.
 * May be called again with the same key when that failed: it is stored once.
 */
export async function storeKey(
  db: Firestore,
  key: string,
  { project, ...details }: NewKey,
  uid: string,
): Promise<void> {
  const record = keyDocument(db, hashApiKey(key));
  const stored = runTransaction(db, async (transaction) => {
    // Only an earlier attempt of ours can have stored it, whose acknowledgement was lost.
    if ((await transaction.get(record)).exists()) throw new AlreadyStored();
    transaction.set(record, newKeyRecord(key, project, serverTimestamp(), uid, details));
  });
  await inTime(
    stored.catch((error) => {
      if (!(error instanceof AlreadyStored)) throw error;
    }),
  );
}

/**
 * Revokes a key.
 *
 * @returns the key as it is then; somebody else may have revoked it before
 */
export async function revokeKey(db: Firestore, hash: string, uid: string): Promise<StoredKey> {
  const record = keyDocument(db, hash);
  let refusal: unknown;
  try {
    await inTime(updateDoc(record, keyRevocation(serverTimestamp(), uid)));
  } catch (error) {
    refusal = error;
  }
  const stored = (await inTime(getDoc(record))).data();
  const key = stored && parse(hash, stored);
  if (!key || key.active) throw refusal ?? new Error('the key is still active');
  return key;
}
