// Reads and writes the records of API keys. Must not print, prompt or know the command line.

import { randomBytes } from 'node:crypto';
import {
  type CollectionReference,
  FieldPath,
  FieldValue,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
  type QuerySnapshot,
} from 'firebase-admin/firestore';
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
import { newApiKey } from '../../records/apiKeyText.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { Failure } from '../terminal/failure.ts';

/** A key in a list; times are in milliseconds since the epoch. */
export type ListedKey = KeyRecord & { readonly id: string; readonly hash: KeyHash };

/** The records of all keys. A record's id is the key's hash. */
const keyCollection = (db: Firestore): CollectionReference => db.collection(COLLECTIONS.apiKeys);

/** How many keys to name when an id is ambiguous. */
const AMBIGUOUS_SHOWN_MAX = 10;

export interface NewKey {
  readonly key: string;
  readonly id: string;
  readonly hash: KeyHash;
}

/** Creates a key, which is not stored yet. */
export function createKey(): NewKey {
  const key = newApiKey(randomBytes);
  const hash = hashApiKey(key);
  return { key, id: keyId(hash), hash };
}

/**
 * Stores the record of a new key.
 *
 * @param actor the person who creates it
 * @param details the contact, and the hash of the key that it replaces
 */
export async function writeNewKey(
  db: Firestore,
  { key, hash }: NewKey,
  project: string,
  actor: string,
  details: { readonly contact?: string; readonly rotates?: string } = {},
): Promise<void> {
  const record = newKeyRecord(key, project, FieldValue.serverTimestamp(), actor, details);
  // Not `create`, which fails if the SDK repeats a write whose reply was lost. Nobody else has this id.
  await keyCollection(db).doc(hash).set(record);
}

/** Reads all keys, oldest first, and the ids of records that no key can match because they are not hashes. */
export async function readKeys(
  db: Firestore,
): Promise<{ keys: ListedKey[]; invalidIds: string[] }> {
  const { docs } = await keyCollection(db).get();
  const keys = docs.flatMap((record) => listed(record) ?? []);
  keys.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.id < b.id ? -1 : 1));
  const invalidIds = docs.map(({ id }) => id).filter((id) => parseKeyHash(id) === undefined);
  return { keys, invalidIds };
}

/**
 * Reads the key that an id names.
 *
 * @param id 12 hex digits of its hash, or more
 * @throws Failure unless exactly one key has the id
 */
export async function readKey(db: Firestore, id: string): Promise<ListedKey> {
  return requireOne(await withId(db, id).get(), id).key;
}

/**
 * Revokes the key that an id names; an inactive key is not changed.
 *
 * @returns the key before the change
 * @throws Failure unless exactly one key has the id
 */
export async function writeKeyRevocation(
  db: Firestore,
  id: string,
  actor: string,
): Promise<ListedKey> {
  return await db.runTransaction(async (transaction) => {
    const { key, record } = requireOne(await transaction.get(withId(db, id)), id);
    if (key.active) {
      transaction.update(record.ref, keyRevocation(FieldValue.serverTimestamp(), actor));
    }
    return key;
  });
}

// "g" sorts after every hex digit.
const withId = (db: Firestore, id: string): Query =>
  keyCollection(db)
    .orderBy(FieldPath.documentId())
    .startAt(id)
    .endBefore(`${id}g`)
    .limit(AMBIGUOUS_SHOWN_MAX);

function requireOne(
  { docs }: QuerySnapshot,
  id: string,
): { key: ListedKey; record: QueryDocumentSnapshot } {
  const [record, ...others] = docs;
  const key = record && listed(record);
  if (!key) throw new Failure(`No key has the id ${id}. \`keys list\` shows all ids.`);
  if (others.length === 0) return { key, record };
  const hashes = docs.map((other) => other.id).join(', ');
  throw new Failure(
    `More than one key has the id ${id}. Give more digits of the hash (${hashes}).`,
  );
}

function listed(record: QueryDocumentSnapshot): ListedKey | undefined {
  const hash = parseKeyHash(record.id);
  return hash && { id: keyId(hash), hash, ...parseKeyRecord(record.data()) };
}
