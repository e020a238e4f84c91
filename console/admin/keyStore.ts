// Reads and writes API keys in the database, and reads its admins, as firestore.rules allows admins to.
// A key's text is used only to hash it.

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
import { parseAdminRecord } from '../../records/admin.ts';
import {
  hashApiKey,
  type KeyRecord,
  type KeyRights,
  type KeyState,
  keyEnd,
  keyId,
  keyRevocation,
  keyStateAt,
  newKeyRecord,
  parseKeyHash,
  parseKeyRecord,
} from '../../records/apiKey.ts';
import { COLLECTIONS, type Stored } from '../../records/storedValues.ts';
import { withTimeout } from '../problems.ts';
import { DAY_MS } from '../times.ts';

/** A stored key; times in milliseconds since the epoch. */
export interface StoredKey extends KeyRecord {
  /** The document id, which is the key's SHA-256 if the record is valid. */
  readonly hash: string;
  /** The key id that logs and pages show. */
  readonly id: string;
  /** Why the key is not usable, although nobody revoked it. */
  readonly fault?: string;
}

export interface NewKey {
  readonly project: string;
  readonly details: KeyRights & { readonly contact?: string };
  /** The key that the new one replaces, and when it ends. */
  readonly replaced?: { readonly hash: string; readonly end: Date };
}

function parse(recordId: string, data: Stored): StoredKey {
  const hash = parseKeyHash(recordId);
  const key = { ...parseKeyRecord(data), hash: recordId, id: hash ? keyId(hash) : recordId };
  if (!hash) return { ...key, fault: 'Its id is not a lower-case SHA-256' };
  return typeof data['active'] === 'boolean'
    ? key
    : { ...key, fault: 'Its field “active” is neither true nor false' };
}

export const stateAt = (key: StoredKey, nowMs: number): KeyState | 'not usable' =>
  key.fault === undefined ? keyStateAt(key, nowMs) : 'not usable';

const SOON_MS = 14 * DAY_MS;

/** Whether the key is active and ends within two weeks. */
export const endsSoon = (key: StoredKey, nowMs: number): boolean =>
  stateAt(key, nowMs) === 'active' && (key.expiresAt ?? Infinity) <= nowMs + SOON_MS;

/** Reads all keys, newest first. Hand-written records without a time come last. */
export async function readKeys(db: Firestore): Promise<StoredKey[]> {
  const { docs } = await withTimeout(getDocs(collection(db, COLLECTIONS.apiKeys)));
  return docs
    .map((record) => parse(record.id, record.data()))
    .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}

/**
 * Stores the record of a new key together with the end of the one that it replaces, and returns once the
 * database has confirmed both. After a failure it can be called again with the same key, which is stored
 * only once.
 *
 * @param onStored called when the database confirms the record, even if this has failed before
 */
export function storeKey(
  db: Firestore,
  key: string,
  { project, details, replaced }: NewKey,
  uid: string,
  onStored: () => void,
): Promise<void> {
  const record = doc(db, COLLECTIONS.apiKeys, hashApiKey(key));
  const stored = runTransaction(db, async (transaction) => {
    // Only an earlier attempt whose confirmation was lost can have stored it.
    if ((await transaction.get(record)).exists()) return;
    if (replaced) {
      const old = doc(db, COLLECTIONS.apiKeys, replaced.hash);
      // Another admin may have revoked it, and the rules let nobody put off its end.
      const before = parseKeyRecord((await transaction.get(old)).data() ?? {});
      const change = before.active && keyEnd(before, replaced.end);
      if (change) transaction.update(old, change);
    }
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

/** Reads the e-mail address of each admin, including revoked ones, by uid. */
export async function readAdminEmails(db: Firestore): Promise<Map<string, string | undefined>> {
  const { docs } = await withTimeout(getDocs(collection(db, COLLECTIONS.admins)));
  return new Map(docs.map((record) => [record.id, parseAdminRecord(record.data()).email]));
}
