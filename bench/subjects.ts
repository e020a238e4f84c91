// Writes the benchmark's data: a key, and wallets with a given number of attestations.

import { randomUUID } from 'node:crypto';
import { Timestamp } from 'firebase-admin/firestore';
import { COLLECTIONS } from '../records/collections.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { randomAddress, randomContextHash } from '../sandbox/random.ts';
import { writeAccount, writeApiKey, writeToken } from '../sandbox/seeding.ts';

export async function writeKey(): Promise<string> {
  const key = `bench-${randomUUID()}`;
  await writeApiKey(openEmulators().db, key, 'Benchmark');
  return key;
}

/** @returns a wallet that holds this many attestations, of all types and both statuses */
export async function writeWallet(attestations: number): Promise<string> {
  const wallet = randomAddress();
  const { db } = openEmulators();
  const writer = db.bulkWriter({ throttling: false });
  for (let index = 0; index < attestations; index += 1) {
    const onChainAddress = randomAddress();
    void writer.create(db.collection(COLLECTIONS.attestations).doc(onChainAddress), {
      wallet,
      attestationType: index % 5,
      contextHashHex: index % 5 === 0 ? '0'.repeat(64) : randomContextHash(),
      status: index % 7 === 6 ? 'pending' : 'confirmed',
      onChainAddress,
      createdAt: Timestamp.fromMillis(1_760_000_000_000 + index * 1_000),
      syncedAt: Timestamp.fromMillis(1_760_000_002_000 + index * 1_000),
    });
  }
  await writer.close();
  return wallet;
}

/** @returns the queries that name this wallet in each mode */
export async function writeSubjects(wallet: string) {
  const email = `${randomUUID()}@example.com`;
  const token = randomUUID();
  const { db, auth } = openEmulators();
  await Promise.all([writeAccount(auth, email, { wallet }), writeToken(db, token, wallet)]);
  return {
    wallet: `wallet=${wallet}`,
    email: `email=${email}`,
    token: `token=${token}`,
  };
}
