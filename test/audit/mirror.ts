// Writes mirrors for the tests of the audit.

import { randomBytes } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import {
  type AttestationFields,
  attestationRecord,
  DEMONSTRATION_PROGRAM,
} from '../../tools/sandbox/attestationRecord.ts';
import type { TestChain } from '../../tools/sandbox/testChain.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';

/** Creates the record of an attestation of a random wallet. */
export const randomRecord = (fields: Partial<AttestationFields> = {}) =>
  attestationRecord({
    wallet: randomAddress(),
    attestationType: 1 + ((randomBytes(1)[0] ?? 0) % 4),
    contextHashHex: randomContextHash(),
    ...fields,
  });

/** The size of one commit. A bulk writer commits 20 at a time and takes five times as long. */
const BATCH_DOCUMENTS = 500;

/** Writes documents that match the chain. Every tenth is pending, and the others are confirmed. */
export async function seedValidMirror(
  db: Firestore,
  chain: TestChain,
  count: number,
): Promise<void> {
  let committed: Promise<unknown> = Promise.resolve();
  for (let start = 0; start < count; start += BATCH_DOCUMENTS) {
    const batch = db.batch();
    for (let index = start; index < Math.min(start + BATCH_DOCUMENTS, count); index += 1) {
      const isPending = index % 10 === 9;
      const record = randomRecord({ status: isPending ? 'pending' : 'confirmed' });
      if (!isPending) chain.setAccount(record.onChainAddress, DEMONSTRATION_PROGRAM);
      batch.create(db.doc(`attestations/${record.onChainAddress}`), record);
    }
    // Await the previous batch only now, because its write and the derivation of addresses can overlap.
    await committed;
    committed = batch.commit();
  }
  await committed;
}
