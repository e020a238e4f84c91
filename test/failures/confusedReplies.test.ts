// Tests that no lookup gets another or an earlier result, however the replies on Google's connections are confused.

import { afterAll, expect, test } from 'vitest';
import { SILENCE_MS } from '../../functions/src/timeLimits.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { type Fault, send as sendReply } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';
import { send } from '../support/http.ts';
import { type MixedSubject, seedKey, seedMixedSubjects } from '../support/seed.ts';
import { MachineBusy, repeatIfBusy } from '../support/watch.ts';
import { deploy } from './steadyStream.ts';

const CLIENTS = 80;
const RESPONSES = 300;
/** The share of lookups that must find their result all the same. */
const RIGHT_MIN = 0.5;
const METHODS = ['batchGet', 'runQuery', 'lookup'];

const key = await seedKey();
const subjects = await seedMixedSubjects();
const { google, served, stop } = await deploy(key);
afterAll(stop);

/** Applies the fault to two of each eight calls, so that most lookups can succeed. */
function aQuarter(fault: Fault): Fault {
  let calls = 0;
  return (response, reply) => {
    calls += 1;
    return (calls % 8 < 2 ? fault : sendReply)(response, reply);
  };
}

test.each<[string, () => Fault]>([
  ['sent twice', () => faults.doubled],
  ['swapped between connections', () => aQuarter(faults.swapped())],
])('replies that are %s never become another result', async (_, newFault) => {
  const services = [google.firestore.service, google.accounts.service];
  const failAll = (fault: Fault | undefined): void => {
    for (const service of services) for (const what of METHODS) service.failAll(what, fault);
  };
  const wrong: string[] = [];
  let [responses, right] = [0, 0];
  failAll(newFault());
  const clients = Array.from({ length: CLIENTS }, async (_, first) => {
    for (let index = first; responses < RESPONSES; index += 1) {
      const { target, votedCount } = subjects[index % subjects.length] as MixedSubject;
      const { status, json } = await send(served.url, { key, target });
      responses += 1;
      const isRight = json.votedCount === votedCount && json.count === votedCount;
      if (status === 200 && isRight) right += 1;
      else if (status !== 500) wrong.push(`${status} ${target}`);
    }
  });
  await Promise.all(clients);
  failAll(undefined);
  expect(wrong, 'results of another lookup').toEqual([]);
  expect(right / responses, 'share of lookups with their own result').toBeGreaterThan(RIGHT_MIN);
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
    // The function may have called again meanwhile.
    if (performance.now() - startedAt > SILENCE_MS) throw new MachineBusy('the reply came late');
    return { status, calls: service.callsOf(hashApiKey(slowKey)).length };
  };
  const held = await repeatIfBusy('an earlier reply that is sent again', holdBack);
  expect(held).toEqual({ status: 400, calls: 1 });

  const revoked = faults.altered((body) => body.replace(/("booleanValue"\s*:\s*)true/, '$1false'));
  service.failNext(hashApiKey(revokedKey), faults.respond(200, earlier), revoked);
  expect((await send(served.url, request)).status).toBe(401);
});
