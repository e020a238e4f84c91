// Tests that long responses take turns, and that a slow or abandoned one does not hold up the others.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Fault } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';
import { send } from '../support/http.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import { startWatch } from '../support/watch.ts';
import { deploy } from './steadyStream.ts';

/** A response of this length takes turns. */
const LONG_CHARACTERS = 256 * 1024;
const PLACES = 4;

const key = await seedKey();
const other = await seedWallet();
const slow = await Promise.all(Array.from({ length: PLACES + 1 }, () => seedWallet()));
const deployed = await deploy(key);
afterAll(() => deployed.stop());

/** Fills the reply up with blanks, which JSON allows. */
const fill = (body: string): string => body.padEnd(LONG_CHARACTERS, ' ');
const long = faults.altered(fill);

/** Sends most of the filled reply, then a byte of a following blank every 2 s. */
const dripping: Fault = async (response, reply) => {
  const { status, body } = await reply();
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.write(fill(body).slice(0, -2));
  const timer = setInterval(() => response.write(' '), 2_000);
  response.on('close', () => clearInterval(timer));
};

test('five long responses that drip delay others by their turns, not by their time limits', async () => {
  const { google, served } = deployed;
  // From now on, the test double has the replies at hand.
  for (const wallet of [other, ...slow]) {
    google.firestore.service.failAll(wallet, long);
    expect(await deployed.status(`?wallet=${wallet}`)).toBe(200);
  }
  for (const wallet of slow) google.firestore.service.failAll(wallet, dripping);
  const dripped = slow.map((wallet) => send(served.url, { key, target: `?wallet=${wallet}` }));
  await expect
    .poll(() => slow.every((wallet) => google.firestore.service.callsOf(wallet).length > 1))
    .toBe(true);
  // The responses have begun.
  await pause(500);
  const watch = startWatch(served);
  expect(await deployed.status(`?wallet=${other}`)).toBe(200);
  expect(watch(), 'milliseconds of another lookup').toBeLessThan(3_000);
  expect((await Promise.all(dripped)).map(({ status }) => status)).toEqual(slow.map(() => 500));
  // The turns of the failed lookups, also of the one that was still waiting, are free again.
  for (const wallet of slow) google.firestore.service.failAll(wallet, long);
  const statuses = await Promise.all(
    [...slow, ...slow].map((wallet) => deployed.status(`?wallet=${wallet}`)),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});
