// Asks after each fault what the instance still remembers of it: after one wrong reply of any kind, the next requests with
// every kind of key succeed.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Fault } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { ACCOUNT_CASES, type CallCase, DOCUMENT_CASES, dated, QUERY_CASES } from './callCases.ts';
import { deploy } from './steadyStream.ts';

const wallet = await seedWallet({ attestationType: 0 });
const email = await seedAccount({ wallet });
const token = await seedToken(wallet);
const key = await seedKey();
const other = await seedKey({ readsPerSecond: 1_000 });
const revoked = await seedKey({ active: false });
const { google, served, stop } = await deploy(key);
afterAll(stop);

const ROOT = `projects/${process.env['GCLOUD_PROJECT']}/databases/(default)/documents`;

async function statuses(): Promise<number[]> {
  const fresh = await seedKey();
  const requests = [
    [key, `?wallet=${wallet}`],
    [key, `?email=${email}`],
    [key, `?token=${token}`],
    [key, `?wallet=${randomWallet()}`],
    [other, `?wallet=${wallet}`],
    [other, `?token=${token}`],
    [fresh, `?wallet=${wallet}`],
    [fresh, `?token=${token}`],
    ['unknown', `?wallet=${wallet}`],
    [revoked, `?wallet=${wallet}`],
  ] as const;
  const seen: number[] = [];
  for (const [apiKey, target] of requests) {
    seen.push((await send(served.url, { key: apiKey, target })).status);
  }
  return seen;
}
const SUCCESS = [...Array(8).fill(200), 401, 401];

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
/** Replies with a wrong time, and the calls that are made until one has a usable reply. */
const TIMES: readonly (readonly [string, calls: number, () => Fault])[] = [
  ['of the year 9999', 1, () => dated('9999-12-31T23:59:59.999Z')],
  ['that begins like one', 2, () => dated(`${inMs(0)}zzzz`)],
  ['40 seconds ahead', 1, () => dated(inMs(40_000))],
  ['2 seconds ahead, without a fraction', 1, () => dated(inMs(2_000).replace(/\.\d+/, ''))],
  [
    'of another year, about another document',
    2,
    () =>
      faults.respondJson([{ missing: `${ROOT}/apiKeys/other`, readTime: '9999-12-31T23:59:59Z' }]),
  ],
];

test('without a fault, they succeed', async () => {
  expect(await statuses()).toEqual(SUCCESS);
});

test.each(TIMES)('one reply with a time %s', async (_, calls, newFault) => {
  const { service } = google.firestore;
  for (const method of ['batchGet', 'runQuery']) {
    const before = service.callsOf(method).length;
    service.failNext(method, newFault());
    await send(served.url, { key, target: `?wallet=${wallet}` });
    service.failNext(method);
    expect(service.callsOf(method).length - before, method).toBe(calls);
    expect(await statuses(), method).toEqual(SUCCESS);
  }
});

describe.each([
  ['batchGet', DOCUMENT_CASES],
  ['runQuery', QUERY_CASES],
  ['lookup', ACCOUNT_CASES],
])('one wrong reply to %s:', (method, cases) => {
  test.each(cases)('$title', async ({ faults: faultsOf }: CallCase) => {
    const isOfAccount = method === 'lookup';
    const { service } = isOfAccount ? google.accounts : google.firestore;
    const [fault] = faultsOf({ root: ROOT, name: isOfAccount ? email : ROOT, wallet });
    if (fault) service.failNext(method, fault);
    const target = isOfAccount ? `?email=${email}` : `?wallet=${wallet}`;
    await send(served.url, { key, target });
    service.failNext(method);
    expect(await statuses()).toEqual(SUCCESS);
  });
});

test.each([403, 400])('one access token that Firestore refuses with %i', async (status) => {
  const fresh = await deploy(key, ({ metadata }) => {
    const bad = { access_token: 'bad', expires_in: 1e300, token_type: 'Bearer' };
    metadata.service.failNext('token', faults.respondJson(bad));
  });
  onTestFinished(fresh.stop);
  const { service } = fresh.google.firestore;
  const refuse = faults.refuse(status, 'PERMISSION_DENIED');
  for (const method of ['batchGet', 'runQuery']) {
    service.failAll(method, (response, reply) =>
      response.req.headers.authorization === 'Bearer bad'
        ? refuse(response, reply)
        : faults.altered(String)(response, reply),
    );
  }
  expect(await fresh.status(`?wallet=${wallet}`)).toBe(200);
  expect(await fresh.status(`?wallet=${wallet}`)).toBe(200);
});
