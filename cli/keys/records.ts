// Reads and writes the records of API keys and of their use. Must not print, prompt or know the command line.

import { FieldValue, type Firestore } from 'firebase-admin/firestore';
import { parseStoredKey, type StoredKey } from '../../records/apiKey.ts';
import type { KeyTransaction } from '../../records/keyChanges.ts';
import { type KeyUse, newKeyUse, parseKeyUse } from '../../records/keyUse.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import type { ReadableDatabase } from '../frame/reads.ts';
import { Failure } from '../terminal/failure.ts';

/** Writes keys in one transaction, which the SDK repeats if a reply was lost. @param actor who makes the change */
export const writeKeys = <T>(
  db: Firestore,
  actor: string,
  nowMs: number,
  body: (transaction: KeyTransaction) => Promise<T>,
): Promise<T> =>
  db.runTransaction((transaction) => {
    const record = (hash: string) => db.collection(COLLECTIONS.apiKeys).doc(hash);
    return body({
      read: async (hash) => (await transaction.get(record(hash))).data(),
      create: (hash, fields) => void transaction.set(record(hash), fields),
      update: (hash, fields) => void transaction.update(record(hash), { ...fields }),
      now: FieldValue.serverTimestamp(),
      none: FieldValue.delete(),
      nowMs,
      actor,
    });
  });

/** Reads all keys, oldest first. */
export async function readKeys(db: ReadableDatabase): Promise<StoredKey[]> {
  const { docs } = await db.collection(COLLECTIONS.apiKeys).get();
  const keys = docs.map((record) => parseStoredKey(record.id, record.data()));
  return keys.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

/** @param id 12 hex digits of the key's hash, or more @throws Failure unless exactly one key has the id */
export async function readKey(db: ReadableDatabase, id: string): Promise<StoredKey> {
  const [found, other] = (await readKeys(db)).filter(
    ({ hash, faults }) => faults.id === undefined && hash.startsWith(id),
  );
  if (!found) throw new Failure(`No key has the id ${id}. \`keys list\` shows all ids.`);
  if (!other) return found;
  throw new Failure(
    `More than one key has the id ${id}. Give more digits of the hash (${found.hash} or ${other.hash}).`,
  );
}

/** Reads the use of all keys, by key id. */
export async function readUse(db: ReadableDatabase): Promise<Map<string, KeyUse>> {
  const { docs } = await db.collection(COLLECTIONS.keyUse).get();
  return new Map(docs.map((record) => [record.id, parseKeyUse(record.data())]));
}

/** Firestore's maximum for one batch is larger. */
const WRITES_PER_BATCH = 400;

/** Writes the use of keys by their ids. A last day that was written before stays. */
export async function writeUse(
  db: Firestore,
  use: Iterable<readonly [string, Omit<KeyUse, 'asOf'>]>,
  asOf: Date,
): Promise<void> {
  const left = [...use];
  while (left.length > 0) {
    const batch = db.batch();
    for (const [id, figures] of left.splice(0, WRITES_PER_BATCH)) {
      const record = db.collection(COLLECTIONS.keyUse).doc(id);
      batch.set(record, newKeyUse(figures, asOf), { merge: true });
    }
    await batch.commit();
  }
}
