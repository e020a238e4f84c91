// Reads and writes the admins of the admin area. Must not print, prompt or know the command line.

import type { Auth } from 'firebase-admin/auth';
import { type CollectionReference, FieldValue, type Firestore } from 'firebase-admin/firestore';
import {
  ADMIN_REVOCATION,
  type AdminRecord,
  newAdminRecord,
  parseAdminRecord,
} from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { findAccount } from '../frame/accounts.ts';
import { Failure } from '../terminal/failure.ts';

const adminCollection = (db: Firestore): CollectionReference => db.collection(COLLECTIONS.admins);

/** Reads all admins, including revoked ones, sorted by e-mail address. Times are in milliseconds since the epoch. */
export async function readAdmins(
  db: Firestore,
): Promise<(AdminRecord & { readonly uid: string })[]> {
  const { docs } = await adminCollection(db).get();
  return docs
    .map((record) => ({ uid: record.id, ...parseAdminRecord(record.data()) }))
    .sort((a, b) => ((a.email ?? a.uid) < (b.email ?? b.uid) ? -1 : 1));
}

/**
 * Makes an account's user an admin. The admin area shows the address on the record to the other admins, so
 * the address of an existing admin is updated.
 *
 * @returns whether the user was already an admin
 * @throws Failure when no account has the address, or the account is disabled
 */
export async function writeAdmin(db: Firestore, auth: Auth, email: string): Promise<boolean> {
  const account = await findAccount(auth, email);
  if (!account) {
    throw new Failure(
      `No account has the address ${email}. Add the user first ` +
        '(Firebase console → Authentication → Add user), then grant again.',
    );
  }
  if (account.disabled) {
    throw new Failure(`The account ${email} is disabled. Enable it first, then grant again.`);
  }
  const record = adminCollection(db).doc(account.uid);
  const address = account.email ?? email;
  return await db.runTransaction(async (transaction) => {
    const isAdmin = (await transaction.get(record)).get('active') === true;
    if (isAdmin) transaction.update(record, { email: address });
    else transaction.set(record, newAdminRecord(address, FieldValue.serverTimestamp()));
    return isAdmin;
  });
}

/**
 * Revokes an admin, found by the account's uid or by the address on the record. Both are tried
 * because the account may have been deleted or may have a new address.
 *
 * @returns the number of changed records
 * @throws Failure when no admin has the address
 */
export async function writeAdminRevocation(
  db: Firestore,
  auth: Auth,
  email: string,
): Promise<number> {
  const account = await findAccount(auth, email);
  const named = (await readAdmins(db)).filter(
    (admin) => admin.uid === account?.uid || admin.email?.toLowerCase() === email.toLowerCase(),
  );
  if (named.length === 0) {
    throw new Failure(`No admin has the address ${email}. \`admins list\` shows all admins.`);
  }
  const active = named.filter((admin) => admin.active);
  const batch = db.batch();
  for (const { uid } of active) batch.update(adminCollection(db).doc(uid), ADMIN_REVOCATION);
  await batch.commit();
  return active.length;
}
