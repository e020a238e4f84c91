// Reads and writes the admins of the admin area. Must not print, prompt or know the command line.

import type { UserRecord } from 'firebase-admin/auth';
import { FieldValue, type Firestore } from 'firebase-admin/firestore';
import {
  ADMIN_REVOCATION,
  type AdminRecord,
  newAdminRecord,
  parseAdminRecord,
} from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import type { ReadableDatabase } from '../frame/reads.ts';

/** Reads all admins, including revoked ones, sorted by e-mail address. */
export async function readAdmins(
  db: ReadableDatabase,
): Promise<(AdminRecord & { readonly uid: string })[]> {
  const { docs } = await db.collection(COLLECTIONS.admins).get();
  return docs
    .map((record) => ({ uid: record.id, ...parseAdminRecord(record.data()) }))
    .sort((a, b) => ((a.email ?? a.uid) < (b.email ?? b.uid) ? -1 : 1));
}

/**
 * Makes an account's user an admin. The admin area shows the address on the record to the other admins, so
 * the address of an existing admin is updated.
 *
 * @param signIn the provider by which they must sign in, or null for any. Without it, an earlier one stays.
 * @returns whether the user was already an admin, since a known time
 */
export async function writeAdmin(
  db: Firestore,
  { uid, email = uid }: UserRecord,
  signIn: string | null | undefined,
): Promise<boolean> {
  const record = db.collection(COLLECTIONS.admins).doc(uid);
  return await db.runTransaction(async (transaction) => {
    const { active, grantedAt } = parseAdminRecord((await transaction.get(record)).data() ?? {});
    // A record that was written by hand may have no time, and then lets in those who signed in before the grant.
    const isAdmin = active && grantedAt !== undefined;
    const fields = isAdmin ? { email } : newAdminRecord(email, FieldValue.serverTimestamp());
    const required = signIn !== undefined && { signIn: signIn ?? FieldValue.delete() };
    transaction.set(record, { ...fields, ...required }, { merge: true });
    return isAdmin;
  });
}

export async function writeAdminRevocations(db: Firestore, uids: readonly string[]): Promise<void> {
  const batch = db.batch();
  for (const uid of uids)
    batch.update(db.collection(COLLECTIONS.admins).doc(uid), ADMIN_REVOCATION);
  await batch.commit();
}
