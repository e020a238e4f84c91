// Owns API keys (specification, 2.5 and 5): their hash, their record and which of them admit.

import { createHash } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import { ApiError } from './errors.ts';
import type { Log } from './requestLog.ts';

/** SHA-256 of a key's bytes, 64 lower-case hex digits: the id of its record. */
export type KeyHash = string & { readonly __brand: 'KeyHash' };

/** An admitted key: whom it was issued to, where its record says so. */
export interface AdmittedKey {
  readonly project: string | undefined;
}

const keyRecord = z.object({
  // A record written by hand may hold nothing else, so nothing else can refuse a key.
  active: z.boolean(),
  project: z.string().optional().catch(undefined),
});

const KEY_ID_DIGITS = 12;

/** @param key the key's own bytes, or its text, which is hashed as UTF-8 */
export const hashApiKey = (key: Uint8Array | string): KeyHash =>
  createHash('sha256').update(key).digest('hex') as KeyHash;

/** The short name of a key that is safe to show and to log: 12 hex digits of its hash. */
export const keyId = (hash: KeyHash): string => hash.slice(0, KEY_ID_DIGITS);

/**
 * Reads a key's record: one document read, whatever the key.
 *
 * @throws ApiError `unauthorized` when it is unknown, inactive or its record is unusable
 */
export async function readAdmittedKey(
  db: Firestore,
  hash: KeyHash,
  log: Log,
): Promise<AdmittedKey> {
  const stored = await db.collection('apiKeys').doc(hash).get();
  if (!stored.exists) throw new ApiError('unauthorized');
  const record = keyRecord.safeParse(stored.data());
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
