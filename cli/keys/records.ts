// Reads and writes the records of API keys. Must not print, prompt or know the command line.

import { randomBytes } from 'node:crypto';
import { type CollectionReference, FieldValue, type Firestore } from 'firebase-admin/firestore';
import {
  hashApiKey,
  type KeyHash,
  type KeyRights,
  keyEnd,
  keyId,
  keyRevocation,
  newKeyRecord,
  parseKeyHash,
  parseKeyRecord,
} from '../../records/apiKey.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import type { ReadableDatabase } from '../frame/reads.ts';
import { Failure } from '../terminal/failure.ts';

/** A key in a list; times are in milliseconds since the epoch. */
export type ListedKey = Awaited<ReturnType<typeof readKeys>>[number];

/** The records of all keys. A record's id is the key's hash. */
const keyCollection = (db: Firestore): CollectionReference => db.collection(COLLECTIONS.apiKeys);

/** Creates a key, which is not stored yet. */
export function createKey() {
  const key = newApiKey(randomBytes);
  const hash = hashApiKey(key);
  return { key, id: keyId(hash), hash };
}

/**
 * Stores the record of a new key, together with the end of the one that it replaces.
 *
 * @param actor the person who creates it
 */
export async function writeNewKey(
  db: Firestore,
  { key, hash }: ReturnType<typeof createKey>,
  project: string,
  actor: string,
  details: KeyRights & { readonly contact?: string },
  replaced?: { readonly hash: KeyHash; readonly end: Date },
): Promise<void> {
  const record = newKeyRecord(key, project, FieldValue.serverTimestamp(), actor, details);
  await db.runTransaction(async (transaction) => {
    const old = replaced && (await transaction.get(keyCollection(db).doc(replaced.hash)));
    const change = replaced && keyEnd(parseKeyRecord(old?.data() ?? {}), replaced.end);
    if (old?.exists && change) transaction.update(old.ref, change);
    // Not `create`, which fails if the SDK repeats a write whose reply was lost. Nobody else has this id.
    transaction.set(keyCollection(db).doc(hash), record);
  });
}

/** Reads all keys, oldest first. No key can match a record whose id is not a hash. */
export async function readKeys(db: ReadableDatabase) {
  const { docs } = await db.collection(COLLECTIONS.apiKeys).get();
  const keys = docs.flatMap((record) => {
    const hash = parseKeyHash(record.id);
    return hash ? [{ id: keyId(hash), hash, ...parseKeyRecord(record.data()) }] : [];
  });
  return keys.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

/** @param id 12 hex digits of the key's hash, or more @throws Failure unless exactly one key has the id */
export async function readKey(db: ReadableDatabase, id: string): Promise<ListedKey> {
  const [found, other] = (await readKeys(db)).filter(({ hash }) => hash.startsWith(id));
  if (!found) throw new Failure(`No key has the id ${id}. \`keys list\` shows all ids.`);
  if (!other) return found;
  throw new Failure(
    `More than one key has the id ${id}. Give more digits of the hash (${found.hash} or ${other.hash}).`,
  );
}

/** Revokes a key, unless somebody else has revoked it in the meantime. */
export const writeKeyRevocation = (db: Firestore, hash: KeyHash, actor: string): Promise<void> =>
  db.runTransaction(async (transaction) => {
    const record = await transaction.get(keyCollection(db).doc(hash));
    if (record.get('active') !== true) return;
    transaction.update(record.ref, keyRevocation(FieldValue.serverTimestamp(), actor));
  });
