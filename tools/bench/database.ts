// The benchmark's double of Google, which keeps the emulator's replies. Runs in a separate process, because the figures
// must not include its cost.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import bs58 from 'bs58';
import { COLLECTIONS } from '../../records/collections.ts';
import { createGoogleCloud } from '../doubles/googleCloud.ts';
import { cached } from '../doubles/standIn.ts';
import { attestationRecord } from '../sandbox/attestationRecord.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { writeApiKey } from '../sandbox/seeding.ts';

export const KEY = 'benchmark-key';
/** The numbers of attestations of the wallets. */
const SIZES = [5, 1_000, 10_000] as const;
export type Size = (typeof SIZES)[number];

const FIRST_CREATED_MS = Date.UTC(2026, 0, 1);

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export const walletOf = (size: Size): string => bs58.encode(hashOf(`wallet with ${size}`));

/** Starts the process. @returns the variables that send a function's calls to it, and a function that stops it */
export async function startDatabase(): Promise<{ env: Record<string, string>; stop: () => void }> {
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [env] = await once(child.stdout, 'data');
  return { env: JSON.parse(String(env)), stop: () => child.kill() };
}

/** Writes the attestations of each wallet, of all types and both statuses. */
async function seed(): Promise<void> {
  const { db } = openEmulators();
  await writeApiKey(db, KEY, 'Benchmark');
  const writer = db.bulkWriter();
  for (const size of SIZES) {
    for (let index = 0; index < size; index += 1) {
      const record = attestationRecord({
        wallet: walletOf(size),
        attestationType: index % 5,
        ...(index % 5 > 0 && { contextHashHex: hashOf(`${index}`).toString('hex') }),
        status: index % 7 === 6 ? 'pending' : 'confirmed',
        createdAt: new Date(FIRST_CREATED_MS + index * 1_000),
      });
      // Attestations of type 0 have the same address, but only one of them would be returned.
      const onChainAddress = bs58.encode(hashOf(`attestation ${index} of ${size}`));
      const document = db.collection(COLLECTIONS.attestations).doc(onChainAddress);
      void writer.set(document, { ...record, onChainAddress });
    }
  }
  await writer.close();
}

if (import.meta.main) {
  await seed();
  const { env } = await createGoogleCloud(cached);
  console.log(JSON.stringify(env));
}
