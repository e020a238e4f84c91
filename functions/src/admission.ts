// Decides whether an API key admits a lookup: its record, and its budget of reads on this instance.

import { hash as nodeHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import {
  type KeyHash,
  type KeyRecord,
  keyId,
  keyStateAt,
  parseKeyRecord,
} from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import type { Lookup } from './subject.ts';

/** A key that this instance has admitted. */
interface AdmittedKey {
  /** As it was last read. The next lookup reads it again, and that record decides. */
  record: KeyRecord;
  /** When its budget was last empty or, in debt, will be. In milliseconds of `performance.now()`. */
  emptyAt: number;
}

/** A budget grows for this long. */
const BUDGET_MS = 10_000;

/** As `hashApiKey`, but with the platform's own SHA-256. @param apiKey the header, a character for each byte */
export const hashHeader = (apiKey: string): KeyHash =>
  nodeHash('sha256', Buffer.from(apiKey, 'latin1')) as KeyHash;

/** @param defaultRate the reads per second of a key whose record has none; 0 means unlimited */
export function openAdmission(defaultRate = 0) {
  // Only keys that an admin has created are ever added, so the map stays small.
  const keys = new Map<KeyHash, AdmittedKey>();

  return {
    /** Recalls a key that was admitted before, without reading anything. */
    recall: (hash: KeyHash): Readonly<AdmittedKey> | undefined => keys.get(hash),

    /** Reads the key's record, which always costs one document read. @throws ApiError `unauthorized` */
    async admit(hash: KeyHash, lookup: Lookup): Promise<KeyRecord> {
      const { firestore, now, log } = lookup;
      const stored = await firestore.readDocument(`${COLLECTIONS.apiKeys}/${hash}`, lookup);
      const record = parseKeyRecord(stored ?? {});
      if (stored) {
        lookup.key = { project: record.project, keyId: keyId(hash) };
        if (typeof stored['active'] !== 'boolean') {
          const message = 'API key refused: its record has no boolean field active';
          log({ severity: 'WARNING', message, keyId: keyId(hash) });
        }
      }
      if (keyStateAt(record, now()) !== 'active') {
        keys.delete(hash);
        throw new ApiError('unauthorized');
      }
      const key = keys.get(hash);
      if (key) key.record = record;
      else keys.set(hash, { record, emptyAt: -Infinity });
      return record;
    },

    /** Subtracts what a lookup has read from the key's budget. */
    charge(hash: KeyHash, { reads }: Lookup): void {
      const key = keys.get(hash);
      if (!key) return;
      const rate = key.record.readsPerSecond ?? (defaultRate || Infinity);
      const oldest = performance.now() - BUDGET_MS;
      key.emptyAt = Math.max(key.emptyAt, oldest) + (reads * 1_000) / rate;
    },
  };
}
