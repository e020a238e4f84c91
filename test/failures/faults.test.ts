// A Firestore emulator of this test's own is frozen, killed and started again under the function.

import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSockets, residentMemoryMiB } from '../../bench/processFigures.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { createFirestoreProcess } from './firestoreProcess.ts';

const PROMISED_MS = 10_000;
const BURST = 40;
/** By how much a process may have grown afterwards: reused buffers, not one for each request. */
const MEMORY_MARGIN_MIB = 48;

const firestore = await createFirestoreProcess();
process.env['FIRESTORE_EMULATOR_HOST'] = firestore.host;
await firestore.start();
const { seedKey, seedWallet } = await import('../support/seed.ts');

let served: ServedFunction;
let key: string;
let wallet: string;

beforeAll(async () => {
  served = await serveFunction();
  await reseed();
  for (let round = 0; round < 5; round += 1) await burst();
});

afterAll(async () => {
  await served.stop();
  firestore.thaw();
  await firestore.kill();
});

async function reseed(): Promise<void> {
  key = await seedKey();
  wallet = await seedWallet({ attestationType: 0 });
}

async function lookUp() {
  const startedAt = performance.now();
  const agent = new Agent({ keepAlive: false });
  const { status, json } = await send(served.url, { key, target: `?wallet=${wallet}`, agent });
  return { status, code: json.code, inTime: performance.now() - startedAt < PROMISED_MS };
}

const startBurst = () => Array.from({ length: BURST }, lookUp);
const burst = () => Promise.all(startBurst());

const FAILED = { status: 500, code: 'internal', inTime: true };
const FOUND = { status: 200, code: undefined, inTime: true };

/** Open sockets and resident memory of the function's process. */
function usage(): { sockets: number; memoryMiB: number } {
  const { pid } = served.process;
  return { sockets: openSockets(pid), memoryMiB: residentMemoryMiB(pid) };
}

async function expectBackTo(before: ReturnType<typeof usage>): Promise<void> {
  await expect.poll(() => usage().sockets, { timeout: 15_000 }).toBeLessThanOrEqual(before.sockets);
  expect(usage().memoryMiB).toBeLessThan(before.memoryMiB + MEMORY_MARGIN_MIB);
}

test('frozen: each request fails in time, and the first one afterwards succeeds', async () => {
  const before = usage();
  firestore.freeze();
  expect(await burst()).toEqual(Array(BURST).fill(FAILED));
  firestore.thaw();
  expect(await lookUp()).toEqual(FOUND);
  expect(await burst()).toEqual(Array(BURST).fill(FOUND));
  await expectBackTo(before);
});

test('killed in the middle of a burst and started again', async () => {
  const before = usage();
  const cutOff = startBurst();
  await Promise.race(cutOff);
  await firestore.kill();
  for (const outcome of await Promise.all(cutOff)) expect([FOUND, FAILED]).toContainEqual(outcome);
  expect(await lookUp()).toEqual(FAILED);
  await firestore.start();
  await reseed();
  expect(await lookUp()).toEqual(FOUND);
  expect(await burst()).toEqual(Array(BURST).fill(FOUND));
  await expectBackTo(before);
});
