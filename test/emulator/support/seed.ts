// Seeds random records into the emulators, so that no test needs another's data cleared.

import { randomUUID } from 'node:crypto';
import { openEmulators } from '../../../scripts/demonstration.ts';
import { randomAddress } from '../../../scripts/random.ts';
import {
  type AttestationFields,
  writeAccount,
  writeApiKey,
  writeAttestation,
  writeToken,
} from '../../../scripts/records.ts';
import { noteUsed } from './usedValues.ts';

export const { db, auth, firestore } = openEmulators();

export { randomAddress as randomWallet, randomContextHash } from '../../../scripts/random.ts';
export const randomEmail = (): string => `user-${randomUUID()}@example.com`;

/** @returns the key's text */
export async function seedKey(options?: { active?: boolean }): Promise<string> {
  const key = `key-${randomUUID()}`;
  noteUsed(key);
  await writeApiKey(db, key, 'Test DAO', options);
  return key;
}

/** @returns the token's id */
export async function seedToken(
  wallet: string,
  options?: Parameters<typeof writeToken>[3],
): Promise<string> {
  const id = randomUUID();
  noteUsed(id);
  await writeToken(db, id, wallet, options);
  return id;
}

/** @returns the account's e-mail address */
export async function seedAccount(claims: object): Promise<string> {
  const email = randomEmail();
  noteUsed(email);
  await writeAccount(auth, email, claims);
  return email;
}

/** @returns a wallet that holds these attestations */
export async function seedWallet(
  ...attestations: Omit<AttestationFields, 'wallet'>[]
): Promise<string> {
  const wallet = randomAddress();
  noteUsed(wallet);
  await Promise.all(attestations.map((fields) => writeAttestation(db, { wallet, ...fields })));
  return wallet;
}
