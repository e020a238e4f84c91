// Opens the emulators, and never a real project, and writes records into them, among them the demonstration data.

import { initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { Failure } from '../../cli/terminal/failure.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import {
  type AttestationFields,
  attestationRecord,
  DEMONSTRATION as D,
  DEMONSTRATION_ATTESTATIONS,
} from '../../contract/examples.ts';
import { MIRROR_STATUS } from '../../contract/mirrorStatus.ts';
import { newAdminRecord } from '../../records/admin.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { keyRevocation, newKeyRecord } from '../../records/keyChanges.ts';
import { newKeyUse } from '../../records/keyUse.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import {
  newTokenRecord,
  TOKEN_REVOCATION,
  type TokenChoices,
} from '../../records/verificationToken.ts';
import { EMULATED_PROJECT } from './emulatorAddresses.ts';

let opened: { readonly db: Firestore; readonly auth: Auth } | undefined;

/**
 * Opens clients of the emulators; every call returns the same ones.
 *
 * @throws Failure if the environment does not name the emulators, because the SDKs would then use a real project
 */
export function openEmulators() {
  if (!process.env['FIRESTORE_EMULATOR_HOST'] || !process.env['FIREBASE_AUTH_EMULATOR_HOST']) {
    throw new Failure('The emulators are not running. Use `npm run emulators -- COMMAND`.');
  }
  if (!opened) {
    const app = initializeApp({ projectId: EMULATED_PROJECT });
    opened = { db: getFirestore(app), auth: getAuth(app) };
  }
  return opened;
}

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

const writeUse = (key: string, use: Parameters<typeof newKeyUse>[0]): Promise<void> =>
  write(COLLECTIONS.keyUse, keyId(hashApiKey(key)), newKeyUse(use, new Date()));

export async function writeToken(
  id: string,
  wallet: string,
  {
    createdAt = new Date(),
    revoked = false,
    uid = 'demonstration',
    ...choices
  }: { createdAt?: Date; revoked?: boolean; uid?: string } & TokenChoices = {},
): Promise<void> {
  const record = newTokenRecord(wallet, uid, createdAt, choices);
  await write(COLLECTIONS.verificationTokens, id, { ...record, ...(revoked && TOKEN_REVOCATION) });
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

export async function writeDemonstration(): Promise<void> {
  const { auth } = openEmulators();
  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MS);
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  await Promise.all([
    writeApiKey(D.key, D.project),
    writeApiKey(D.revokedKey, 'Former DAO', { active: false }),
    // As the scheduled job would count it.
    writeUse(D.key, { lookups: 1_204, refused: 3, lastUsedOn: yesterday }),
    writeUse(D.revokedKey, { lookups: 0, refused: 0, lastUsedOn: '2026-09-30' }),
    ...DEMONSTRATION_ATTESTATIONS.map(writeAttestation),
    writeAccount(D.email, { wallet: D.wallet }, D.password),
    writeAccount(D.walletlessEmail, {}, D.password),
    writeAccount(D.adminEmail, {}, D.password).then((uid) =>
      write(COLLECTIONS.admins, uid, newAdminRecord(D.adminEmail, new Date())),
    ),
    write(MIRROR_STATUS.collection, MIRROR_STATUS.document, {
      asOf: new Date(),
      newestSyncedAt: new Date(),
      auditedAt: new Date(),
      findings: 0,
    }),
    writeToken(D.token, D.wallet, { project: D.project }),
    writeToken(D.otherProjectsToken, D.wallet, { project: 'Other DAO' }),
    writeToken(D.revokedToken, D.wallet, { revoked: true }),
    writeToken(D.expiredToken, D.wallet, { createdAt: twoDaysAgo }),
    writeAccount(D.neverVotedEmail, { wallet: D.neverVotedWallet }),
    writeAccount(D.unattestedEmail, { wallet: D.unattestedWallet }),
    writeAccount(D.disabledEmail, { wallet: D.disabledWallet }).then((uid) =>
      auth.updateUser(uid, { disabled: true }),
    ),
    writeToken(D.disabledToken, D.disabledWallet),
  ]);
}
