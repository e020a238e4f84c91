// Plants repairable findings with yesterday's date in a mirror and its chain.

import type { Firestore } from 'firebase-admin/firestore';
import type { RepairKind } from '../../admin/repair/changes.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import type { TestChain } from '../../tools/sandbox/testChain.ts';
import { randomRecord } from './mirror.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Repairable {
  /** Path of the document to change. */
  readonly path: string;
  readonly address: string;
  /** For a duplicate, the path of the document to keep. */
  readonly kept: string;
}

/** Writes documents with one finding. Their ids begin with `id`, which decides the order of the reads. */
export async function plantRepairable(
  db: Firestore,
  chain: TestChain,
  kind: RepairKind,
  id: string,
): Promise<Repairable> {
  const status = kind === 'ready_to_confirm' ? 'pending' : 'confirmed';
  const record = randomRecord({ status, createdAt: new Date(Date.now() - DAY_MS) });
  const address = record.onChainAddress;
  if (kind !== 'missing_on_chain') chain.setAccount(address, DEMONSTRATION_PROGRAM);
  const path = `${COLLECTIONS.attestations}/${id}`;
  const kept = `${path}-kept`;
  await db.doc(path).set({ ...record, note: { of: 'the mirror', parts: [1, null, true] } });
  if (kind === 'duplicate') await db.doc(kept).set({ ...record, syncedAt: new Date() });
  return { path, address, kept };
}
