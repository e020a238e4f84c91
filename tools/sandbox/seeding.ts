// Writes the records of admins, users and the mirror into the emulators.

import { newAdminRecord } from '../../records/admin.ts';
import { hashApiKey, keyRevocation, newKeyRecord } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { newTokenRecord, TOKEN_REVOCATION } from '../../records/verificationToken.ts';
import { type AttestationFields, attestationRecord } from './attestationRecord.ts';
import { openEmulators } from './openEmulators.ts';

async function write(collection: string, id: string, record: object): Promise<void> {
  await openEmulators().db.collection(collection).doc(id).set(record);
}

export async function writeAttestation(fields: AttestationFields) {
  const record = attestationRecord(fields);
  await write(COLLECTIONS.attestations, record.onChainAddress, record);
  return record;
}

export async function writeApiKey(
  key: string,
  project: string,
  { active = true, createdAt = new Date(), fields = {} } = {},
): Promise<void> {
  const record = { ...newKeyRecord(key, project, createdAt, 'cli'), ...fields };
  const revocation = !active && keyRevocation(new Date(), 'cli');
  await write(COLLECTIONS.apiKeys, hashApiKey(key), { ...record, ...revocation });
}

export async function writeToken(
  id: string,
  wallet: string,
  { createdAt = new Date(), revoked = false } = {},
): Promise<void> {
  const record = newTokenRecord(wallet, 'demonstration', createdAt);
  await write(COLLECTIONS.verificationTokens, id, { ...record, ...(revoked && TOKEN_REVOCATION) });
}

export async function writeAdmin(uid: string, email: string): Promise<void> {
  await write(COLLECTIONS.admins, uid, newAdminRecord(email, new Date()));
}

/**
 * Creates the account unless it exists, and sets its claims.
 *
 * @param claims the account's custom claims; `{ wallet: ... }` is the wallet
 * @param password required only for signing in
 */
export async function writeAccount(
  email: string,
  claims: object,
  password?: string,
): Promise<string> {
  const { auth } = openEmulators();
  const account = { email, ...(password !== undefined && { password }) };
  const { uid } = await auth
    .getUserByEmail(email)
    .catch(() => auth.createUser(account))
    // Another process may have created it in the meantime.
    .catch(() => auth.getUserByEmail(email));
  await auth.setCustomUserClaims(uid, claims);
  return uid;
}
