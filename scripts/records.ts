// Writes the records that admins, users and the mirror write, for the demonstration and the tests.

import type { Auth } from 'firebase-admin/auth';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { attestationAddress } from '../chain/attestationAddress.ts';
import { hashApiKey, keyRecords, keyRevocation, newKeyRecord } from '../functions/src/apiKeys.ts';
import {
  newTokenRecord,
  TOKEN_REVOCATION,
  tokenRecords,
} from '../functions/src/verificationTokens.ts';

/** Stands for the program of a deployment, whose address is a fixed value of it. */
export const DEMONSTRATION_PROGRAM = 'PoHAttestation11111111111111111111111111111';

export interface AttestationFields {
  readonly wallet: string;
  readonly attestationType: number;
  /** 64 hex digits; left out: 32 zero bytes. */
  readonly contextHashHex?: string;
  readonly status?: 'confirmed' | 'pending';
  readonly createdAt?: Date;
}

/** A mirrored attestation as the mirror stores it, under its derived address. */
export function attestationRecord(fields: AttestationFields) {
  const { wallet, attestationType, status = 'confirmed', createdAt = new Date() } = fields;
  const contextHashHex = fields.contextHashHex ?? '0'.repeat(64);
  return {
    wallet,
    attestationType,
    contextHashHex,
    status,
    onChainAddress: attestationAddress(
      DEMONSTRATION_PROGRAM,
      wallet,
      attestationType,
      contextHashHex,
    ),
    createdAt: Timestamp.fromDate(createdAt),
    syncedAt: Timestamp.fromDate(new Date(createdAt.getTime() + 2_000)),
  };
}

export async function writeAttestation(db: Firestore, fields: AttestationFields) {
  const record = attestationRecord(fields);
  await db.collection('attestations').doc(record.onChainAddress).set(record);
  return record;
}

export async function writeApiKey(
  db: Firestore,
  key: string,
  project: string,
  { active = true } = {},
): Promise<void> {
  const record = newKeyRecord(key, project, new Date());
  await keyRecords(db)
    .doc(hashApiKey(key))
    .set({ ...record, ...(!active && keyRevocation(new Date())) });
}

export async function writeToken(
  db: Firestore,
  id: string,
  wallet: string,
  { createdAt = new Date(), revoked = false } = {},
): Promise<void> {
  const record = newTokenRecord(wallet, 'demonstration', createdAt);
  await tokenRecords(db)
    .doc(id)
    .set({ ...record, ...(revoked && TOKEN_REVOCATION) });
}

/** @param claims the account's custom claims; the wallet is `{ wallet: ... }` */
export async function writeAccount(auth: Auth, email: string, claims: object): Promise<string> {
  const { uid } = await auth.createUser({ email });
  await auth.setCustomUserClaims(uid, claims);
  return uid;
}
