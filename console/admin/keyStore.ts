// Reads and writes API keys in the database, and reads its admins and the use of keys, as firestore.rules allows admins
// to. A key's text is used only to hash it.

import {
  collection,
  deleteField,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  runTransaction,
  serverTimestamp,
  type Transaction,
} from 'firebase/firestore/lite';
import { parseAdminRecord } from '../../records/admin.ts';
import { type KeyDetails, parseStoredKey, type StoredKey } from '../../records/apiKey.ts';
import {
  changeKey,
  createKey,
  type KeyTransaction,
  type Replaced,
  revokeKey,
} from '../../records/keyChanges.ts';
import { type KeyUse, parseKeyUse } from '../../records/keyUse.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { withTimeout } from '../problems.ts';

/** What the page shows. */
export interface Everything {
  /** The newest first. Hand-written records without a time come last. */
  readonly keys: readonly StoredKey[];
  /** The e-mail address of each admin, including revoked ones, by uid. */
  readonly admins: ReadonlyMap<string, string | undefined>;
  /** By key id. */
  readonly use: ReadonlyMap<string, KeyUse>;
}

export async function readEverything(db: Firestore): Promise<Everything> {
  const read = async (name: string) => (await getDocs(collection(db, name))).docs;
  const all = [COLLECTIONS.apiKeys, COLLECTIONS.admins, COLLECTIONS.keyUse].map(read);
  const [keys = [], admins = [], use = []] = await withTimeout(Promise.all(all));
  return {
    keys: keys
      .map((record) => parseStoredKey(record.id, record.data()))
      .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0)),
    admins: new Map(admins.map((record) => [record.id, parseAdminRecord(record.data()).email])),
    use: new Map(use.map((record) => [record.id, parseKeyUse(record.data())])),
  };
}

export interface NewKey {
  readonly project: string;
  readonly details: KeyDetails;
  readonly replaced?: Replaced;
}

export type Author = Pick<KeyTransaction, 'actor' | 'nowMs'>;

/** @param onStored called when the database confirms the change, even if this has failed before */
function write<T>(
  db: Firestore,
  author: Author,
  body: (transaction: KeyTransaction) => Promise<T>,
  onStored?: () => void,
): Promise<T> {
  const record = (hash: string) => doc(db, COLLECTIONS.apiKeys, hash);
  const run = (transaction: Transaction): Promise<T> =>
    body({
      read: async (hash) => (await transaction.get(record(hash))).data(),
      create: (hash, fields) => void transaction.set(record(hash), fields),
      update: (hash, fields) => void transaction.update(record(hash), { ...fields }),
      now: serverTimestamp(),
      none: deleteField(),
      ...author,
    });
  // Repeated once, if another admin writes at the same time. After that the admin decides.
  const written = runTransaction(db, run, { maxAttempts: 2 });
  if (onStored) void written.then(onStored, () => undefined);
  return withTimeout(written);
}

/**
 * Stores the record of a new key together with the end of the one that it replaces, and returns once the
 * database has confirmed both. After a failure it can be called again with the same key, which is stored
 * only once.
 */
export const storeKey = (
  db: Firestore,
  author: Author,
  key: string,
  { project, details, replaced }: NewKey,
  onStored: () => void,
): Promise<void> =>
  write(db, author, (all) => createKey(all, key, project, details, replaced), onStored);

/** @returns whether the key is active, without which nothing was changed */
export const storeChange = (
  db: Firestore,
  author: Author,
  hash: string,
  change: KeyDetails,
): Promise<boolean> => write(db, author, (all) => changeKey(all, hash, change));

/**
 * Revokes a key.
 *
 * @returns the key, which another admin may have revoked first or whose record may be unusable; undefined
 *   if it no longer has a record
 */
export async function storeRevocation(
  db: Firestore,
  author: Author,
  hash: string,
): Promise<StoredKey | undefined> {
  await write(db, author, (all) => revokeKey(all, hash));
  const stored = (await withTimeout(getDoc(doc(db, COLLECTIONS.apiKeys, hash)))).data();
  return stored && parseStoredKey(hash, stored);
}
