// Seeds the emulators with random records, so that data need not be cleared between tests.

import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import type { AttestationFields } from '../../contract/examples.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import {
  openEmulators,
  writeAccount,
  writeApiKey,
  writeAttestation,
  writeToken,
} from '../../tools/sandbox/demonstration.ts';
import { randomAddress, randomContextHash } from './random.ts';
import { recordUsed } from './usedValues.ts';

export { randomAddress as randomWallet, randomContextHash } from './random.ts';
export const randomEmail = (): string => `kim-${randomUUID()}@example.com`;

/** Opens a separate Firebase project, for tests that read or change a whole collection. */
export function openOwnProject(): { project: string; db: Firestore } {
  const project = `demo-${randomUUID()}`;
  return { project, db: getFirestore(initializeApp({ projectId: project }, project)) };
}

/** @param fields more fields of the record @returns the key's text */
export async function seedKey({
  active = true,
  ...fields
}: {
  active?: boolean;
  [field: string]: unknown;
} = {}): Promise<string> {
  const key = `key-${randomUUID()}`;
  recordUsed(key);
  await writeApiKey(key, 'Test DAO', { active, fields });
  return key;
}

/** @returns the token's id */
export async function seedToken(
  wallet: string,
  options?: Parameters<typeof writeToken>[2],
): Promise<string> {
  const id = randomUUID();
  recordUsed(id);
  await writeToken(id, wallet, options);
  return id;
}

/** @returns the account's e-mail address */
export async function seedAccount(claims: object): Promise<string> {
  const email = randomEmail();
  recordUsed(email);
  await writeAccount(email, claims);
  return email;
}

/** The attestations of this many votes, for `seedWallet`. */
export const votes = (count: number) =>
  Array.from({ length: count }, () => ({
    attestationType: 1,
    contextHashHex: randomContextHash(),
  }));

/** @returns a wallet with these attestations */
export async function seedWallet(...attestations: Omit<AttestationFields, 'wallet'>[]) {
  const wallet = randomAddress();
  recordUsed(wallet);
  await Promise.all(attestations.map((fields) => writeAttestation({ wallet, ...fields })));
  return wallet;
}

export interface MixedSubject {
  readonly target: string;
  readonly votedCount: number;
}

/** @returns a lookup in each mode of wallets with 1 to 8 votes, so that a wrong result is recognized */
export async function seedMixedSubjects(): Promise<MixedSubject[]> {
  const subjects: MixedSubject[] = [];
  for (let votedCount = 1; votedCount <= 8; votedCount += 1) {
    const wallet = await seedWallet(...votes(votedCount));
    const token = await seedToken(wallet);
    const email = await seedAccount({ wallet });
    for (const query of [`wallet=${wallet}`, `token=${token}`, `email=${email}`]) {
      subjects.push({ target: `?${query}`, votedCount });
    }
  }
  return subjects;
}

/** Makes a user an admin. Without a uid, the admin has no account. */
export async function seedAdmin(
  uid: string = randomUUID(),
  active: unknown = true,
  { email, ...fields }: { email?: string | undefined; grantedAt?: Date; signIn?: unknown } = {},
): Promise<void> {
  const record = openEmulators().db.collection(COLLECTIONS.admins).doc(uid);
  await record.set({ active, ...(email !== undefined && { email }), ...fields });
}
