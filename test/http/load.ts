// Makes many concurrent lookups in mixed modes, counts wrong responses and measures memory.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { getResponse, residentMemoryMiB, type Target } from '../../tools/sandbox/measuring.ts';
import { writeAccount, writeAttestation, writeToken } from '../../tools/sandbox/seeding.ts';
import type { ServedFunction } from '../../tools/sandbox/servedFunction.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';
import { seedKey } from '../support/seed.ts';

export interface LoadResult {
  readonly lookups: number;
  readonly wrong: number;
  /** Median resident memory in the third and the last quarter, MiB. */
  readonly thirdQuarterMiB: number;
  readonly lastQuarterMiB: number;
}

interface Expectation extends Target {
  readonly status: number;
  /** The expected count of a 200. An error has a code instead. */
  readonly votedCount?: number;
  readonly code?: string;
}

const WALLETS = 8;
const MEMORY_SAMPLE_EVERY = 50;

/**
 * @param lookups the total number of lookups
 * @param clients the number of concurrent clients
 */
export async function runLoad(
  { db, auth }: { db: Firestore; auth: Auth },
  served: ServedFunction,
  lookups: number,
  clients: number,
): Promise<LoadResult> {
  const expectations = await seed(db, auth, served.url);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const memory: number[] = [];
  let started = 0;
  let wrong = 0;
  const client = async (): Promise<void> => {
    for (let index = started++; index < lookups; index = started++) {
      const expected = expectations[index % expectations.length];
      if (expected && !isExpected(expected, await getResponse(expected, agent))) wrong += 1;
      if (index % MEMORY_SAMPLE_EVERY === 0) {
        memory.push(residentMemoryMiB(served.process.pid));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  const quarter = Math.floor(memory.length / 4);
  return {
    lookups,
    wrong,
    thirdQuarterMiB: median(memory.slice(2 * quarter, 3 * quarter)),
    lastQuarterMiB: median(memory.slice(3 * quarter)),
  };
}

async function seed(db: Firestore, auth: Auth, url: string): Promise<Expectation[]> {
  const key = await seedKey();
  const expectations: Expectation[] = [];
  for (let votedCount = 0; votedCount < WALLETS; votedCount += 1) {
    const wallet = randomAddress();
    const token = randomUUID();
    const email = `${token}@example.com`;
    await Promise.all([
      writeToken(db, token, wallet),
      writeAccount(auth, email, { wallet }),
      ...Array.from({ length: votedCount }, () =>
        writeAttestation(db, { wallet, attestationType: 1, contextHashHex: randomContextHash() }),
      ),
    ]);
    for (const query of [`wallet=${wallet}`, `token=${token}`, `email=${email}`]) {
      expectations.push({ url: `${url}?${query}`, key, status: 200, votedCount });
    }
  }
  const wallet = randomAddress();
  return [
    ...expectations,
    { url: `${url}?wallet=${wallet}`, key: 'unknown', status: 401, code: 'unauthorized' },
    { url: `${url}?wallet=x`, key, status: 400, code: 'invalid_wallet' },
    { url: `${url}?token=${randomUUID()}`, key, status: 404, code: 'token_not_found' },
    { url: `${url}?email=no@example.com`, key, status: 404, code: 'email_not_found' },
  ];
}

function isExpected(expected: Expectation, response: { status: number; body: string }): boolean {
  const body = JSON.parse(response.body);
  return (
    response.status === expected.status &&
    body.votedCount === expected.votedCount &&
    body.count === expected.votedCount &&
    body.code === expected.code
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
