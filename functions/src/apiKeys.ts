// Owns API keys (specification, 2.5 and 5): their hash, their record and which of them admit.

import { createHash } from 'node:crypto';
import type { CollectionReference, Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import { ApiError } from './errors.ts';
import type { FirestoreReader } from './firestore.ts';
import type { Log } from './requestLog.ts';
import { storedTime, type WrittenTime } from './storedTime.ts';

/** SHA-256 of a key's bytes, 64 lower-case hex digits: the id of its record. */
export type KeyHash = string & { readonly __brand: 'KeyHash' };

/** An admitted key: whom it was issued to, where its record says so. */
export interface AdmittedKey {
  readonly project: string | undefined;
}

/** A stored key. A record written by hand may hold `active` alone, so nothing else refuses one. */
export const keyRecord = z.object({
  active: z.boolean(),
  project: z.string().optional().catch(undefined),
  hint: z.string().optional().catch(undefined),
  createdAt: storedTime.optional().catch(undefined),
  revokedAt: storedTime.optional().catch(undefined),
});

const HASH = /^[0-9a-f]{64}$/;
const KEY_ID_DIGITS = 12;
const HINT_CHARACTERS = 4;

/** @param key the key's own bytes, or its text, which is hashed as UTF-8 */
export const hashApiKey = (key: Uint8Array | string): KeyHash =>
  createHash('sha256').update(key).digest('hex') as KeyHash;

/** @returns the id of a key's record, or undefined when it is no hash and so admits nobody */
export const parseKeyHash = (id: string): KeyHash | undefined =>
  HASH.test(id) ? (id as KeyHash) : undefined;

/** The short name of a key that is safe to show and to log: 12 hex digits of its hash. */
export const keyId = (hash: KeyHash): string => hash.slice(0, KEY_ID_DIGITS);

const COLLECTION = 'apiKeys';

/** The records of all keys; the id of each is the key's hash. */
export const keyRecords = (db: Firestore): CollectionReference => db.collection(COLLECTION);

/**
 * A new key's record: of the key itself it holds no more than the last 4 characters.
 *
 * @param project whom the key is issued to
 */
export const newKeyRecord = (key: string, project: string, createdAt: WrittenTime) => ({
  active: true,
  project,
  hint: key.slice(-HINT_CHARACTERS),
  createdAt,
});

/** What revoking a key changes in its record. */
export const keyRevocation = (revokedAt: WrittenTime) => ({ active: false, revokedAt });

/**
 * Reads a key's record: one document read, whatever the key.
 *
 * @throws ApiError `unauthorized` when it is unknown, inactive or its record is unusable
 */
export async function readAdmittedKey(
  firestore: FirestoreReader,
  hash: KeyHash,
  log: Log,
): Promise<AdmittedKey> {
  const stored = await firestore.readDocument(`${COLLECTION}/${hash}`);
  if (!stored) throw new ApiError('unauthorized');
  const record = keyRecord.safeParse(stored);
  if (!record.success) {
    log({
      severity: 'WARNING',
      message: 'API key refused: its record has no boolean field active',
      keyId: keyId(hash),
    });
  }
  if (!record.data?.active) throw new ApiError('unauthorized');
  return { project: record.data.project };
}

const SEEN_KEYS_MAX = 1_000;

/**
 * Remembers which keys were admitted before, for reading ahead only: each request still reads
 * its key. Bounded; the key admitted first is forgotten first.
 */
export class SeenKeys {
  readonly #hashes = new Set<KeyHash>();

  has(hash: KeyHash): boolean {
    return this.#hashes.has(hash);
  }

  add(hash: KeyHash): void {
    this.#hashes.add(hash);
    if (this.#hashes.size <= SEEN_KEYS_MAX) return;
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest);
      break;
    }
  }

  delete(hash: KeyHash): void {
    this.#hashes.delete(hash);
  }
}
