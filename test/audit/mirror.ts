// Plants mirrors for the audit, each in a project of its own: an audit reads a whole mirror, and
// must not find what other tests have written.

import { randomBytes, randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import {
  type AttestationFields,
  attestationRecord,
  DEMONSTRATION_PROGRAM,
} from '../../sandbox/attestationRecord.ts';
import { randomAddress, randomContextHash } from '../../sandbox/random.ts';
import type { TestChain } from '../../sandbox/testChain.ts';

/** A mirrored attestation of a random wallet, as the mirror stores it. */
export const randomRecord = (fields: Partial<AttestationFields> = {}) =>
  attestationRecord({
    wallet: randomAddress(),
    attestationType: 1 + ((randomBytes(1)[0] ?? 0) % 4),
    contextHashHex: randomContextHash(),
    ...fields,
  });

export function randomMirror(): { project: string; db: Firestore } {
  const project = `demo-${randomUUID()}`;
  return { project, db: getFirestore(initializeApp({ projectId: project }, project)) };
}

/** The most that one commit takes; a bulk writer, with its 20, takes five times as long. */
const BATCH_DOCUMENTS = 500;

/**
 * Writes entries with which the chain agrees: nine confirmed ones, a pending one, and so on.
 *
 * @param onWritten called with the number written so far after each batch
 */
export async function plantSound(
  db: Firestore,
  chain: TestChain,
  count: number,
  onWritten: (written: number) => void = () => undefined,
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
    // The emulator writes one batch while the addresses of the next are derived.
    await committed;
    onWritten(start);
    committed = batch.commit();
  }
  await committed;
}
