// The benchmark's data: a key, and wallets with a given number of attestations. It is the same in every run.

import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { hashApiKey, newKeyRecord } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';

export type FieldValue = string | number | boolean | Date;

export interface StoredDocument {
  /** E.g. `apiKeys/x`. */
  readonly path: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

export const KEY = 'benchmark-key';
export const KEY_ID = hashApiKey(KEY);
/** How many attestations each wallet has. */
export const SIZES = [5, 1_000, 10_000] as const;
export type Size = (typeof SIZES)[number];
/** The account with this e-mail address has the wallet with 5 attestations. */
export const EMAIL = 'benchmark@example.com';

const FIRST_CREATED_MS = Date.UTC(2026, 0, 1);

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const addressOf = (text: string): string => bs58.encode(hashOf(text));

export const walletOf = (size: Size): string => addressOf(`wallet with ${size}`);

export const keyDocument = (): StoredDocument => ({
  path: `${COLLECTIONS.apiKeys}/${KEY_ID}`,
  fields: newKeyRecord(KEY, 'Benchmark', new Date(FIRST_CREATED_MS), 'cli'),
});

/** The attestations of a wallet, of all types and both statuses. */
export const attestationDocuments = (size: Size): StoredDocument[] =>
  Array.from({ length: size }, (_, index) => {
    const onChainAddress = addressOf(`attestation ${index} of ${size}`);
    const createdAt = FIRST_CREATED_MS + index * 1_000;
    return {
      path: `${COLLECTIONS.attestations}/${onChainAddress}`,
      fields: {
        wallet: walletOf(size),
        attestationType: index % 5,
        contextHashHex: index % 5 === 0 ? '0'.repeat(64) : hashOf(`${index}`).toString('hex'),
        status: index % 7 === 6 ? 'pending' : 'confirmed',
        onChainAddress,
        createdAt: new Date(createdAt),
        syncedAt: new Date(createdAt + 2_000),
      },
    };
  });
