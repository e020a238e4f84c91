// Writes the state of the mirror. Must not print, prompt or know the command line.

import { FieldValue, type Firestore } from 'firebase-admin/firestore';
import { MIRROR_STATUS } from '../../contract/mirrorStatus.ts';

const statusOf = (db: Firestore) =>
  db.collection(MIRROR_STATUS.collection).doc(MIRROR_STATUS.document);

/** What the last complete audit found. */
export interface Audit {
  readonly auditedAt: Date;
  readonly findings: number;
}

/** @returns the number of findings that was stored before */
export async function writeStatus(
  db: Firestore,
  syncedMs: number | undefined,
  audit: Audit | undefined,
): Promise<unknown> {
  const before = await statusOf(db).get();
  const newestSyncedAt = syncedMs === undefined ? FieldValue.delete() : new Date(syncedMs);
  const written = { asOf: FieldValue.serverTimestamp(), newestSyncedAt, ...audit };
  await statusOf(db).set(written, { merge: true });
  return before.get('findings');
}

/** @param notice undefined to remove it */
export async function writeNotice(db: Firestore, notice: string | undefined): Promise<void> {
  await statusOf(db).set({ notice: notice ?? FieldValue.delete() }, { merge: true });
}
