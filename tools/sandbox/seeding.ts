// Writes the records of admins, users and the mirror into the emulators.

import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { newAdminRecord } from '../../records/admin.ts';
import { hashApiKey, keyRevocation, newKeyRecord } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { newTokenRecord, TOKEN_REVOCATION } from '../../records/verificationToken.ts';
import { type AttestationFields, attestationRecord } from './attestationRecord.ts';

export async function writeAttestation(db: Firestore, fields: AttestationFields) {
  const record = attestationRecord(fields);
  await db.collection(COLLECTIONS.attestations).doc(record.onChainAddress).set(record);
  return record;
}

export async function writeApiKey(
  db: Firestore,
  key: string,
  project: string,
  { active = true, createdAt = new Date() } = {},
): Promise<void> {
  const record = newKeyRecord(key, project, createdAt, 'cli');
  await db
    .collection(COLLECTIONS.apiKeys)
    .doc(hashApiKey(key))
    .set({ ...record, ...(!active && keyRevocation(new Date(), 'cli')) });
}

export async function writeToken(
  db: Firestore,
  id: string,
  wallet: string,
  { createdAt = new Date(), revoked = false } = {},
): Promise<void> {
  const record = newTokenRecord(wallet, 'demonstration', createdAt);
  await db
    .collection(COLLECTIONS.verificationTokens)
    .doc(id)
    .set({ ...record, ...(revoked && TOKEN_REVOCATION) });
}

export async function writeAdmin(db: Firestore, uid: string, email: string): Promise<void> {
  await db.collection(COLLECTIONS.admins).doc(uid).set(newAdminRecord(email, new Date()));
}

/**
 * Creates the account unless it exists, and sets its claims.
 *
 * @param claims the account's custom claims; `{ wallet: ... }` is the wallet
 * @param password required only for signing in
 */
export async function writeAccount(
  auth: Auth,
  email: string,
  claims: object,
  password?: string,
): Promise<string> {
  const account = { email, ...(password !== undefined && { password }) };
  const { uid } = await auth
    .getUserByEmail(email)
    .catch(() => auth.createUser(account))
    // Another process may have created it in the meantime.
    .catch(() => auth.getUserByEmail(email));
  await auth.setCustomUserClaims(uid, claims);
  return uid;
}
