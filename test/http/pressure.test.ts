// Tests the revocation race, and mixed load.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { type ServedFunction, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { amount, LONG_RUN } from '../support/amount.ts';
import { seedWallet } from '../support/seed.ts';
import { runLoad } from './load.ts';
import { raceRevocation } from './revocationRace.ts';

const { auth, db } = openEmulators();

const RACES = amount(50);
const LOOKUPS = amount(10_000);
const CLIENTS = 64;
/** The highest ratio of the memory in the last quarter to that in the third quarter. */
const MEMORY_RATIO_MAX = 1.1;

/** Long-lived tables of requests would keep finished ones alive, and need 205 MiB. */
const MEMORY_MAX_MIB = 150;

let served: ServedFunction;

beforeAll(async () => {
  served = await serveFunction();
});

afterAll(() => served.stop());

describe('revocation', () => {
  test.each(['key', 'token'] as const)('of a %s blocks every later request', async (kind) => {
    const wallet = await seedWallet({ attestationType: 0 });
    for (let race = 0; race < RACES; race += 1) {
      const result = await raceRevocation(db, served.url, kind, wallet);
      expect(result.succeededAfter).toBe(0);
      // The race proves nothing unless requests were made before and after the write.
      expect(result.succeededBefore).toBeGreaterThan(0);
      expect(result.startedAfter).toBeGreaterThan(0);
    }
  });
});

test('every response under load is correct', { timeout: 180_000 }, async () => {
  const load = await runLoad({ db, auth }, served, LOOKUPS, CLIENTS);
  expect(load).toMatchObject({ wrong: 0, lookups: LOOKUPS });
  expect(load.lastQuarterMiB).toBeLessThan(MEMORY_MAX_MIB);
  // In a short run, memory still grows because buffers fill.
  if (LONG_RUN)
    expect(load.lastQuarterMiB / load.thirdQuarterMiB).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});
