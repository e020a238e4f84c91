// Which API keys admit a request (specification, 5): hashing the key and reading its record.

import { createHash } from 'node:crypto';
import { type KeyHash, keyId, keyRecordSchema } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { ApiError } from './errors.ts';
import type { FirestoreReader } from './firestore/reader.ts';
import type { Log } from './requestLog.ts';

/**
 * As `hashApiKey` of records/, and several times as fast: each request hashes a key before anything else.
 *
 * @param key the bytes of the header X-PoH-API-Key
 */
export const hashKeyBytes = (key: Uint8Array): KeyHash =>
  createHash('sha256').update(key).digest('hex') as KeyHash;

/** An admitted key: whom it was issued to, where its record says so. */
export interface AdmittedKey {
  readonly project: string | undefined;
}

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
  const stored = await firestore.readDocument(`${COLLECTIONS.apiKeys}/${hash}`);
  if (!stored) throw new ApiError('unauthorized');
  const record = keyRecordSchema.safeParse(stored);
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
 * Remembers which keys were admitted before, for prefetching only: each request still reads
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
