// Owns the demonstration data: who is in it, and writing it into the emulators.

import { getApps, initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { type FirestoreReader, openFirestore } from '../functions/src/firestore.ts';
import { emulatorPorts } from './ports.ts';
import {
  type AttestationFields,
  writeAccount,
  writeApiKey,
  writeAttestation,
  writeToken,
} from './records.ts';
import { SetupError } from './setupError.ts';

export const DEMONSTRATION = {
  key: 'demonstration-key',
  revokedKey: 'revoked-demonstration-key',
  /** Holds every type, and each status. */
  wallet: 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2',
  email: 'alice@example.com',
  /** Holds a pending humanity attestation alone, so that no flag is set. */
  pendingWallet: 'GxZqmfmsohLD3pXvJUGYPdXi6fhWSENuJ1UQKgpYpyCH',
  token: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01',
  revokedToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e02',
  expiredToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e03',
} as const;

const context = (byte: number): string => byte.toString(16).padStart(2, '0').repeat(32);
const day = (date: number): Date => new Date(Date.UTC(2026, 9, date, 12));

const ATTESTATIONS: readonly AttestationFields[] = [
  { wallet: DEMONSTRATION.wallet, attestationType: 0, createdAt: day(1) },
  ...[
    { attestationType: 1, contextHashHex: context(1), createdAt: day(2) },
    { attestationType: 1, contextHashHex: context(2), createdAt: day(3) },
    { attestationType: 1, contextHashHex: context(3), status: 'pending', createdAt: day(4) },
    { attestationType: 2, contextHashHex: context(1), createdAt: day(5) },
    { attestationType: 3, contextHashHex: context(4), createdAt: day(6) },
    { attestationType: 4, contextHashHex: context(5), status: 'pending', createdAt: day(7) },
  ].map((fields) => ({ wallet: DEMONSTRATION.wallet, ...fields }) as AttestationFields),
  {
    wallet: DEMONSTRATION.pendingWallet,
    attestationType: 0,
    status: 'pending',
    createdAt: day(8),
  },
];

/**
 * Opens the emulators that the environment names.
 *
 * @throws SetupError when it names none, so that nothing is ever written to a real project
 */
export function openEmulators(): { db: Firestore; auth: Auth; firestore: FirestoreReader } {
  if (!process.env['FIRESTORE_EMULATOR_HOST'] || !process.env['FIREBASE_AUTH_EMULATOR_HOST']) {
    throw new SetupError('The emulators are not running: start this with `npm run emulators --`.');
  }
  const app = getApps()[0] ?? initializeApp();
  return { db: getFirestore(app), auth: getAuth(app), firestore: openFirestore(app) };
}

export async function writeDemonstration(): Promise<void> {
  const { db, auth } = openEmulators();
  const { key, revokedKey, wallet, email, token, revokedToken, expiredToken } = DEMONSTRATION;
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  await Promise.all([
    writeApiKey(db, key, 'Demonstration DAO'),
    writeApiKey(db, revokedKey, 'Former DAO', { active: false }),
    ...ATTESTATIONS.map((fields) => writeAttestation(db, fields)),
    writeAccount(auth, email, { wallet }),
    writeToken(db, token, wallet),
    writeToken(db, revokedToken, wallet, { revoked: true }),
    writeToken(db, expiredToken, wallet, { createdAt: twoDaysAgo }),
  ]);
}

/** The function's address in the emulator. */
export function emulatedEndpoint(): string {
  const port = emulatorPorts().find(({ name }) => name === 'functions')?.port;
  return `http://127.0.0.1:${port}/demo-poh/us-central1/pohAttestationsEndpoint`;
}
