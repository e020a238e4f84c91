// Reads when the mirror was last synced, and writes its state. Must not print, prompt or know the command line.

import { FieldValue, type Firestore } from 'firebase-admin/firestore';
import { MIRROR_STATUS } from '../../contract/mirrorStatus.ts';
import { CLOCK_SKEW_MS, COLLECTIONS, parseTime, storedTimeMs } from '../../records/storedValues.ts';
import type { ReadableDatabase } from '../frame/reads.ts';

const statusOf = (db: Firestore) =>
  db.collection(MIRROR_STATUS.collection).doc(MIRROR_STATUS.document);

/** Texts are ordered by their characters, so those of other time zones may be behind up to this much. */
const ZONE_MAX_MS = 14 * 60 * 60 * 1000;
const TEXTS_READ = 50;

/** @returns the latest `syncedAt` that is not in the future, in milliseconds; undefined if there is none */
export async function readNewestSync(
  db: ReadableDatabase,
  nowMs: number,
): Promise<number | undefined> {
  const latest = nowMs + CLOCK_SKEW_MS;
  // A query returns only values of the type that it compares with.
  const queries = [
    [new Date(latest), 1] as const,
    [new Date(latest + ZONE_MAX_MS).toISOString(), TEXTS_READ] as const,
  ].map(([limit, count]) =>
    db
      .collection(COLLECTIONS.attestations)
      .where('syncedAt', '<=', limit)
      .orderBy('syncedAt', 'desc')
      .limit(count)
      .get(),
  );
  const found = (await Promise.all(queries)).flatMap(({ docs }) => docs);
  const times = found
    .map((each) => storedTimeMs(each.get('syncedAt')) ?? parseTime(String(each.get('syncedAt'))))
    .filter((ms) => ms <= latest);
  return times.length === 0 ? undefined : Math.max(...times);
}

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
