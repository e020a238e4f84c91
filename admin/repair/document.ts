// Reads a document of the mirror for a repair, and writes it only if it has not changed since.

import type { DocumentReference, Firestore, Timestamp } from 'firebase-admin/firestore';
import type { MirrorDocument } from '../audit/mirror.ts';

export interface ReadDocument extends MirrorDocument {
  readonly reference: DocumentReference;
  /** The time of the last write, by the database's clock. */
  readonly updateTime: Timestamp;
}

/** @returns undefined if the document does not exist */
export async function readDocument(db: Firestore, path: string): Promise<ReadDocument | undefined> {
  const snapshot = await db.doc(path).get();
  const { ref: reference, updateTime } = snapshot;
  const fields = snapshot.data();
  return fields && updateTime && { path, reference, fields, updateTime };
}

/** The gRPC statuses with which Firestore refuses a write whose precondition fails. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
/** Another transaction still holds the lock after several attempts. */
const ABORTED = 10;
const CONFLICTS: readonly unknown[] = [NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED];

const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONFLICTS.includes(error.code);

/**
 * Makes a write that has a precondition.
 *
 * @param write returns false if it has noticed a change itself
 * @returns false if somebody else has changed the document since, so that nothing was written
 */
export async function writeUnlessChanged(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
