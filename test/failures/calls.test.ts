// Tests each fault of a single call, on one deployed function that handles other requests at the same time.

import { afterAll, describe, type ExpectStatic, expect, test } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import { retainedMemoryMiB } from '../../tools/sandbox/servedFunction.ts';
import * as faults from '../doubles/callFaults.ts';
import { loggedEntries, requestEntries, send } from '../support/http.ts';
import { seedAccount, seedKey, seedWallet } from '../support/seed.ts';
import { MachineBusy, repeatIfBusy } from '../support/watch.ts';
import { ACCOUNT_CASES, type CallCase, DOCUMENT_CASES, ECHO, QUERY_CASES } from './callCases.ts';
import { deploy, startStream } from './steadyStream.ts';

const ROOT = `projects/${process.env['GCLOUD_PROJECT']}/databases/(default)/documents`;
/** The cases send hundreds of megabytes, almost none of which may stay in memory. */
const MEMORY_MAX_MIB = 20;
/** Of the other lookups, some fifty. A machine on which more fail is too busy to show anything. */
const STARVED_MAX = 5;

const { google, served, lookUp, stop } = await deploy(await seedKey());
const target = `?wallet=${await seedWallet()}`;
const others = startStream(() => lookUp(target));

afterAll(async () => {
  const responses = await others.stop();
  const failed = responses.filter(({ status }) => status !== 200);
  expect(
    failed.filter(({ isStarved }) => !isStarved),
    'other lookups that failed',
  ).toEqual([]);
  expect(failed.length, 'other lookups that a busy machine made fail').toBeLessThan(STARVED_MAX);
  expect(await retainedMemoryMiB(served), 'MiB in memory').toBeLessThan(MEMORY_MAX_MIB);
  await stop();
  expect(served.output()).not.toContain(ECHO);
  const warnings = loggedEntries(served.output()).filter(({ severity }) => severity === 'WARNING');
  const several = { message: 'several accounts have one e-mail address', uids: ['0', '1'] };
  expect(warnings).toEqual(Array(3).fill(expect.objectContaining(several)));
});

describe.each([
  ['reading a key gets', DOCUMENT_CASES],
  ['a query gets', QUERY_CASES],
  ['a call to Authentication gets', ACCOUNT_CASES],
])('%s', (_, cases) => {
  const attempt = async (row: CallCase, expect: ExpectStatic): Promise<void> => {
    const key = await seedKey();
    const wallet = await seedWallet({ attestationType: 0 });
    const isOfAccount = cases === ACCOUNT_CASES;
    const email = isOfAccount ? await seedAccount({ wallet }) : '';
    const hash = hashApiKey(key);
    const { service } = isOfAccount ? google.accounts : google.firestore;
    const request = { key, target: isOfAccount ? `?email=${email}` : `?wallet=${wallet}` };
    // Text that only the call under test contains in its body.
    const what = isOfAccount ? email : cases === QUERY_CASES ? wallet : hash;
    const name = isOfAccount ? email : `${ROOT}/apiKeys/${hash}`;
    // The function now knows the key, so the next lookup makes its reads concurrently.
    expect((await send(served.url, request)).status).toBe(200);
    const before = service.callsOf(what).length;
    service.failNext(what, ...row.faults({ root: ROOT, name, wallet }));
    const { status, headers, text, isStarved } = await send(served.url, request);
    try {
      expect(status, text).toBe(row.status);
      const calls = service.callsOf(what).length - before;
      if (typeof row.calls === 'number') expect(calls, 'calls to Google').toBe(row.calls);
      else {
        expect(calls, 'calls to Google').toBeGreaterThanOrEqual(row.calls.min ?? 0);
        expect(calls, 'calls to Google').toBeLessThanOrEqual(row.calls.max);
      }
      const entries = requestEntries(served.output());
      const entry = entries.find(({ requestId }) => requestId === headers['x-request-id']);
      if (row.cause) expect(entry?.['cause']).toMatchObject(row.cause);
      else expect(entry).not.toHaveProperty('cause');
    } catch (error) {
      throw isStarved ? new MachineBusy(String(error)) : error;
    }
    service.failNext(what);
    expect((await send(served.url, request)).status).toBe(200);
  };
  const check = (row: CallCase, { expect }: { readonly expect: ExpectStatic }) =>
    repeatIfBusy(row.title, () => attempt(row, expect));
  const title = '$title, and the lookup returns $status';
  test.concurrent.for(cases.filter(({ isHeavy }) => !isHeavy))(title, check);
  test.for(cases.filter(({ isHeavy }) => isHeavy))(title, check);
});

test.concurrent('a call that nothing answers has at most two attempts in flight', async ({
  expect,
}) => {
  const key = await seedKey();
  let [inFlight, most] = [0, 0];
  google.firestore.service.failAll(hashApiKey(key), (response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    response.on('close', () => {
      inFlight -= 1;
    });
  });
  expect((await send(served.url, { key, target })).status).toBe(500);
  expect(most).toBe(2);
});

test('no call outlives its lookup', async () => {
  const key = await seedKey();
  const wallet = await seedWallet();
  const request = { key, target: `?wallet=${wallet}` };
  // The function now knows the key, so the next lookup makes its reads concurrently.
  expect((await send(served.url, request)).status).toBe(200);
  const { service } = google.firestore;
  const before = service.callsOf(wallet).length;
  service.failAll(wallet, faults.unanswered);
  // Neither repeated nor taken for a refused token, so that the lookup ends before its time limit.
  const refuse = faults.refuse(404, 'NOT_FOUND');
  service.failNext(hashApiKey(key), async (...call) => {
    await expect.poll(() => service.callsOf(wallet).length).toBeGreaterThan(before);
    await refuse(...call);
  });
  expect((await send(served.url, request)).status).toBe(500);
  for (const { service } of [google.accounts, google.firestore, google.metadata]) {
    await expect.poll(() => service.inFlight, { interval: 10, message: 'calls in flight' }).toBe(0);
  }
});
