// Checks API keys (specification, 5): hashes a key and reads its record.

import { createHash } from 'node:crypto';
import { type KeyHash, keyId, parseKeyRecord } from '../../../records/apiKey.ts';
import { COLLECTIONS } from '../../../records/collections.ts';
import type { FirestoreReader } from '../google/firestore.ts';
import type { Log } from './logLine.ts';

/**
 * Same result as `hashApiKey` of records/, but several times as fast.
 * @param key the bytes of the header X-PoH-API-Key
 */
export const hashKeyBytes = (key: Uint8Array): KeyHash =>
  createHash('sha256').update(key).digest('hex') as KeyHash;

/** A key that has a record. */
export interface RecordedKey {
  /** Whether the key is valid. */
  readonly active: boolean;
  /** The key's short id, which is safe to log. */
  readonly keyId: string;
  /** The project that the key was issued to, if the record has one. */
  readonly project: string | undefined;
}

/** Reads a key's record, which always costs one document read. @returns undefined if there is no record */
export async function readKey(
  firestore: FirestoreReader,
  hash: KeyHash,
  log: Log,
  signal: AbortSignal,
): Promise<RecordedKey | undefined> {
  const stored = await firestore.readDocument(`${COLLECTIONS.apiKeys}/${hash}`, signal);
  if (!stored) return undefined;
  if (typeof stored['active'] !== 'boolean') {
    log({
      severity: 'WARNING',
      message: 'API key refused: its record has no boolean field active',
      keyId: keyId(hash),
    });
  }
  const { active, project } = parseKeyRecord(stored);
  return { active, keyId: keyId(hash), project };
}

const SEEN_KEYS_MAX = 1_000;

/**
 * The keys that were accepted before. They are used only for prefetching, and each request still
 * reads its key. The number is limited, and the oldest key is dropped first.
 */
export class SeenKeys {
  readonly #hashes = new Set<KeyHash>();

  has(hash: KeyHash): boolean {
    return this.#hashes.has(hash);
  }

  add(hash: KeyHash): void {
    this.#hashes.add(hash);
    const [first] = this.#hashes.size > SEEN_KEYS_MAX ? this.#hashes : [];
    if (first) this.#hashes.delete(first);
  }

  delete(hash: KeyHash): void {
    this.#hashes.delete(hash);
  }
}
