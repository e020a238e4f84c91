// Tests the revocation race, and mixed load.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { retainedMemoryMiB, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { amount } from '../support/amount.ts';
import { send } from '../support/http.ts';
import { seedKey, seedMixedSubjects, seedToken, seedWallet } from '../support/seed.ts';
import { MachineBusy, repeatIfBusy } from '../support/watch.ts';

const { db } = openEmulators();

const RACES = amount(50);
const RACE_CLIENTS = 12;
/** The number of responses to wait for before and after a revocation, two for each client. */
const RESPONSES_PER_SIDE = 2 * RACE_CLIENTS;
const LOOKUPS = amount(10_000);
const CLIENTS = 64;
/** Lookups after which connections, caches and compiled code are there. */
const WARM_UP = 500;
/** A table of requests that keeps finished ones grows by more than 3 MiB in a thousand lookups. */
const GROWTH_MAX_MIB = 2;

const served = await serveFunction();
afterAll(() => served.stop());

const together = (clients: number, client: () => Promise<void>) =>
  Promise.all(Array.from({ length: clients }, client));

/** Revokes a new key or token while clients use it. */
async function raceRevocation(kind: 'key' | 'token', wallet: string) {
  const key = await seedKey();
  const token = await seedToken(wallet);
  const agent = new Agent({ keepAlive: true, maxSockets: RACE_CLIENTS });
  const target = kind === 'key' ? `?wallet=${wallet}` : `?token=${token}`;
  const responses: { startedAt: number; status: number }[] = [];
  let committedAt = Number.POSITIVE_INFINITY;
  const startedAfter = () => responses.filter(({ startedAt }) => startedAt > committedAt);
  const { promise: isWarm, resolve: reportWarm } = Promise.withResolvers<void>();
  const clients = together(RACE_CLIENTS, async () => {
    while (startedAfter().length < RESPONSES_PER_SIDE) {
      const startedAt = performance.now();
      const { status } = await send(served.url, { key, target, agent });
      responses.push({ startedAt, status });
      if (responses.length === RESPONSES_PER_SIDE) reportWarm();
    }
  });
  await Promise.race([isWarm, clients]);
  const { apiKeys, verificationTokens } = COLLECTIONS;
  if (kind === 'key') await db.collection(apiKeys).doc(hashApiKey(key)).update({ active: false });
  else await db.collection(verificationTokens).doc(token).update({ revoked: true });
  committedAt = performance.now();
  await clients;
  agent.destroy();
  const after = new Set(startedAfter());
  const succeeded = responses.filter(({ status }) => status === 200);
  return {
    startedAfter: after.size,
    succeededAfter: succeeded.filter((response) => after.has(response)).length,
    succeededBefore: succeeded.filter((response) => !after.has(response)).length,
  };
}

describe('revocation', () => {
  test.each(['key', 'token'] as const)('of a %s blocks every later request', async (kind) => {
    const wallet = await seedWallet({ attestationType: 0 });
    for (let race = 0; race < RACES; race += 1) {
      const result = await raceRevocation(kind, wallet);
      expect(result.succeededAfter, 'lookups that succeeded after the revocation').toBe(0);
      // The race proves nothing unless requests were made before and after the write.
      expect(result.succeededBefore, 'before it').toBeGreaterThan(0);
      expect(result.startedAfter, 'lookups that began after the revocation').toBeGreaterThan(0);
    }
  });
});

test('every response under load is correct', async () => {
  const key = await seedKey();
  const cases = [
    ...(await seedMixedSubjects()).map(({ target, votedCount }) => ({
      request: { key, target },
      expected: { status: 200, json: { votedCount, count: votedCount } },
    })),
    ...[
      { target: '?wallet=x', status: 400, code: 'invalid_wallet' },
      { target: `?token=${randomUUID()}`, status: 404, code: 'token_not_found' },
      { target: '?email=no@example.com', status: 404, code: 'email_not_found' },
    ].map(({ target, status, code }) => ({
      request: { key, target },
      expected: { status, json: { code } },
    })),
    { request: { key: 'unknown' }, expected: { status: 401, json: { code: 'unauthorized' } } },
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const lookUp = async (lookups: number): Promise<number> => {
    let started = 0;
    await together(CLIENTS, async () => {
      for (let index = started++; index < lookups; index = started++) {
        const { request, expected } = cases[index % cases.length] ?? {};
        await repeatIfBusy('a lookup under load', async () => {
          const response = await send(served.url, { ...request, agent });
          if (response.status === 500 && response.isStarved) throw new MachineBusy(response.text);
          expect(response).toMatchObject(Object(expected));
        });
      }
    });
    return retainedMemoryMiB(served);
  };
  const before = await lookUp(WARM_UP);
  const growth = (await lookUp(LOOKUPS)) - before;
  agent.destroy();
  expect(growth, `MiB that ${LOOKUPS} lookups leave in memory`).toBeLessThan(GROWTH_MAX_MIB);
});
