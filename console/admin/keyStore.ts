// API keys in the database, as firestore.rules let an admin read and write them. The text of a key
// never gets here but to be hashed.

import {
  collection,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  runTransaction,
  serverTimestamp,
  updateDoc,
} from 'firebase/firestore/lite';
import {
  hashApiKey,
  type KeyHash,
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

/** A stored key; times in milliseconds since the epoch. */
export type StoredKey = KeyRecord & { readonly hash: KeyHash; readonly id: string };

const keyDocument = (db: Firestore, hash: KeyHash) => doc(db, COLLECTIONS.apiKeys, hash);

const parse = (hash: KeyHash, data: Stored): StoredKey => ({
  hash,
  id: keyId(hash),
  ...parseKeyRecord(data),
});

/** Reads all keys, the newest first; those without a time, written by hand, last. */
export async function readKeys(db: Firestore): Promise<StoredKey[]> {
  const { docs } = await inTime(getDocs(collection(db, COLLECTIONS.apiKeys)));
  return docs
    .flatMap((record) => {
      const hash = parseKeyHash(record.id);
      return hash ? [parse(hash, record.data())] : [];
    })
    .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || (a.id < b.id ? -1 : 1));
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
  project: string,
  uid: string,
): Promise<void> {
  const record = keyDocument(db, hashApiKey(key));
  const stored = runTransaction(db, async (transaction) => {
    // Only an earlier attempt of ours can have stored it, whose acknowledgement was lost.
    if ((await transaction.get(record)).exists()) throw new AlreadyStored();
    transaction.set(record, newKeyRecord(key, project, serverTimestamp(), uid));
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
export async function revokeKey(db: Firestore, hash: KeyHash, uid: string): Promise<StoredKey> {
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
