// The revocation race, and mixed load.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { amount, LONG_RUN } from '../support/amount.ts';
import { seedWallet } from '../support/seed.ts';
import { runLoad } from './load.ts';
import { raceRevocation } from './revocationRace.ts';

const { auth, db } = openEmulators();

const RACES = amount(50);
const LOOKUPS = amount(10_000);
const AT_ONCE = 64;
/** What counts as flat: the last quarter's memory over the third's. */
const FLAT = 1.1;

let served: ServedFunction;

beforeAll(async () => {
  served = await serveFunction();
});

afterAll(() => served.stop());

describe('revocation', () => {
  test.each(['key', 'token'] as const)('of a %s admits no later request', async (kind) => {
    const wallet = await seedWallet({ attestationType: 0 });
    for (let race = 0; race < RACES; race += 1) {
      const result = await raceRevocation(db, served.url, kind, wallet);
      expect(result.admittedAfter).toBe(0);
      // Both sides of the write were really run on.
      expect(result.admittedBefore).toBeGreaterThan(0);
      expect(result.startedAfter).toBeGreaterThan(0);
    }
  });
});

test('under load every response is the right one', async () => {
  const load = await runLoad({ db, auth }, served, LOOKUPS, AT_ONCE);
  expect(load).toMatchObject({ wrong: 0, lookups: LOOKUPS });
  // A short run still fills its buffers.
  if (LONG_RUN) expect(load.lastQuarterMiB / load.thirdQuarterMiB).toBeLessThanOrEqual(FLAT);
});
