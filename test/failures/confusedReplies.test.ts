// Tests that no lookup gets another or an earlier result, however the replies on Google's connections are confused.

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import * as faults from '../../tools/doubles/callFaults.ts';
import type { Fault } from '../../tools/doubles/serviceDouble.ts';
import { send } from '../support/http.ts';
import { type MixedSubject, seedMixedSubjects } from '../support/mixedSubjects.ts';
import { seedKey } from '../support/seed.ts';
import { deploy } from './steadyStream.ts';

const CLIENTS = 80;
/** How many responses the fault lasts for. */
const FAULTY_RESPONSES = 300;
const METHODS = ['batchGet', 'runQuery', 'lookup'];

const key = await seedKey();
const subjects = await seedMixedSubjects();

const FAULTS: readonly [string, () => Fault][] = [
  ['sent twice', () => faults.doubled],
  ['swapped between connections', faults.swapped],
];

describe('replies that are', () => {
  test.each(FAULTS)('%s never become another result', async (_, newFault) => {
    const { google, served, stop } = await deploy(key);
    const wrong: string[] = [];
    const counts = { before: 0, during: 0, after: 0 };
    let phase: keyof typeof counts = 'before';
    let isOver = false;
    const client = async (first: number): Promise<void> => {
      for (let index = first; !isOver; index += 1) {
        const { target, votedCount } = subjects[index % subjects.length] as MixedSubject;
        const { status, json } = await send(served.url, { key, target });
        if (phase !== 'after' || status === 200) counts[phase] += 1;
        const isRight = json.votedCount === votedCount && json.count === votedCount;
        if (status !== 500 && !(status === 200 && isRight)) {
          wrong.push(`${status} ${target}`);
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
    await pause(500);
    const services = [google.firestore.service, google.accounts.service];
    const fault = newFault();
    phase = 'during';
    for (const service of services) for (const what of METHODS) service.failAll(what, fault);
    await expect.poll(() => counts.during).toBeGreaterThan(FAULTY_RESPONSES);
    for (const service of services) for (const what of METHODS) service.failAll(what, undefined);
    phase = 'after';
    // The lookups that began during the fault have ended, and each client has made others since.
    await expect.poll(() => counts.after).toBeGreaterThan(FAULTY_RESPONSES);
    isOver = true;
    await Promise.all(clients);
    await stop();
    expect(wrong).toEqual([]);
  });
});

test('an earlier reply that is sent again does not admit a key that was revoked since', async () => {
  const { google, served, stop } = await deploy(key);
  const { service } = google.firestore;
  const [slowKey, revokedKey] = [await seedKey(), await seedKey()];
  const [read, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = faults.altered(async (body) => {
    read.resolve();
    await released.promise;
    return body;
  });
  service.failNext(hashApiKey(slowKey), slow);
  const slowResponse = send(served.url, { key: slowKey, target: '' });
  await read.promise;

  let earlier = '';
  const kept = faults.altered((body) => {
    earlier = body;
    return body;
  });
  service.failNext(hashApiKey(revokedKey), kept);
  const request = { key: revokedKey, target: subjects[0]?.target ?? '' };
  expect((await send(served.url, request)).status).toBe(200);
  // A reply after the revocation has been received, and then the slow one, which was read before.
  expect((await send(served.url, { key, target: '' })).status).toBe(400);
  released.resolve();
  expect((await slowResponse).status).toBe(400);

  const revoked = faults.altered((body) => body.replace(/("booleanValue"\s*:\s*)true/, '$1false'));
  service.failNext(hashApiKey(revokedKey), faults.respond(200, earlier), revoked);
  expect((await send(served.url, request)).status).toBe(401);
  await stop();
});
