// Tests that no lookup gets another or an earlier result, however the replies on Google's connections are confused.

import { afterAll, expect, test } from 'vitest';
import { SILENCE_MS } from '../../functions/src/timeLimits.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import type { Fault } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';
import { send } from '../support/http.ts';
import { type MixedSubject, seedKey, seedMixedSubjects } from '../support/seed.ts';
import { deploy } from './steadyStream.ts';

const CLIENTS = 80;
const RESPONSES = 300;
const METHODS = ['batchGet', 'runQuery', 'lookup'];

const key = await seedKey();
const subjects = await seedMixedSubjects();
const { google, served, stop } = await deploy(key);
afterAll(stop);

test.each<[string, () => Fault]>([
  ['sent twice', () => faults.doubled],
  ['swapped between connections', faults.swapped],
])('replies that are %s never become another result', async (_, newFault) => {
  const services = [google.firestore.service, google.accounts.service];
  const failAll = (fault: Fault | undefined): void => {
    for (const service of services) for (const what of METHODS) service.failAll(what, fault);
  };
  const wrong: string[] = [];
  let responses = 0;
  failAll(newFault());
  const clients = Array.from({ length: CLIENTS }, async (_, first) => {
    for (let index = first; responses < RESPONSES; index += 1) {
      const { target, votedCount } = subjects[index % subjects.length] as MixedSubject;
      const { status, json } = await send(served.url, { key, target });
      responses += 1;
      const isRight = json.votedCount === votedCount && json.count === votedCount;
      if (status !== 500 && !(status === 200 && isRight)) wrong.push(`${status} ${target}`);
    }
  });
  await Promise.all(clients);
  failAll(undefined);
  expect(wrong).toEqual([]);
});

test('an earlier reply that is sent again does not admit a key that was revoked since', async () => {
  const { service } = google.firestore;
  const revokedKey = await seedKey();
  const request = { key: revokedKey, target: subjects[0]?.target ?? '' };
  let earlier = '';
  const kept = faults.altered((body) => {
    earlier = body;
    return body;
  });
  /** Holds the reply about a key back until a later one has been received. */
  const holdBack = async () => {
    const slowKey = await seedKey();
    const [read, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = faults.altered(async (body) => {
      read.resolve();
      await released.promise;
      return body;
    });
    service.failNext(hashApiKey(slowKey), slow);
    const startedAt = performance.now();
    const slowResponse = send(served.url, { key: slowKey, target: '' });
    await Promise.race([read.promise, slowResponse]);
    service.failNext(hashApiKey(revokedKey), kept);
    expect((await send(served.url, request)).status).toBe(200);
    expect((await send(served.url, { key, target: '' })).status).toBe(400);
    released.resolve();
    const { status } = await slowResponse;
    const wasSilent = performance.now() - startedAt > SILENCE_MS;
    return { status, calls: service.callsOf(hashApiKey(slowKey)).length, wasSilent };
  };
  let held = await holdBack();
  // On a busy machine the function may have called again meanwhile.
  while (held.wasSilent) held = await holdBack();
  expect(held).toMatchObject({ status: 400, calls: 1 });

  const revoked = faults.altered((body) => body.replace(/("booleanValue"\s*:\s*)true/, '$1false'));
  service.failNext(hashApiKey(revokedKey), faults.respond(200, earlier), revoked);
  expect((await send(served.url, request)).status).toBe(401);
});
