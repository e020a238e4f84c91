// Tests each fault of a single call, on one deployed function that handles other requests at the same time.

import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import * as faults from '../../tools/doubles/callFaults.ts';
import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { residentMemoryMiB } from '../../tools/sandbox/measuring.ts';
import { type ServedFunction, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import { seedAccount, seedKey, seedWallet } from '../support/seed.ts';
import { ACCOUNT_CASES, type CallCase, DOCUMENT_CASES, ECHO, QUERY_CASES } from './callCases.ts';
import { RESPONSE_MAX_MS, type Stream, startStream } from './steadyStream.ts';

const ROOT = `projects/${process.env['GCLOUD_PROJECT']}/databases/(default)/documents`;
/** The cases send hundreds of megabytes, almost none of which may stay in memory. */
const MEMORY_MAX_MIB = 400;

let google: GoogleCloud;
let served: ServedFunction;
let others: Stream;

beforeAll(async () => {
  google = await createGoogleCloud();
  served = await serveFunction(google.env);
  const request = { key: await seedKey(), target: `?wallet=${await seedWallet()}` };
  others = startStream(async () => (await send(served.url, request)).status);
});

afterAll(async () => {
  const responses = await others.stop();
  expect(responses.filter(({ status, ms }) => status !== 200 || ms > RESPONSE_MAX_MS)).toEqual([]);
  expect(residentMemoryMiB(served.process.pid)).toBeLessThan(MEMORY_MAX_MIB);
  await served.stop();
  google.close();
  expect(served.output()).not.toContain(ECHO);
});

interface Subject {
  /** Text that only the call under test contains in its body. */
  readonly what: string;
  readonly name: string;
  readonly wallet: string;
  readonly key: string;
  readonly target: string;
}

async function check(row: CallCase, subject: Subject, expect: ExpectStatic): Promise<void> {
  const { key, target, what, name, wallet } = subject;
  const { service } = 'email' in subject ? google.accounts : google.firestore;
  // The function now knows the key, so the next lookup makes its reads concurrently.
  expect((await send(served.url, { key, target })).status).toBe(200);
  const before = service.callsOf(what).length;
  service.failNext(what, ...row.faults({ root: ROOT, name, wallet }));
  const startedAt = performance.now();
  const { status, headers, text } = await send(served.url, { key, target });
  expect(performance.now() - startedAt).toBeLessThan(RESPONSE_MAX_MS);
  expect(status, text).toBe(row.status);
  const calls = service.callsOf(what).length - before;
  if (typeof row.calls === 'number') expect(calls).toBe(row.calls);
  else expect(calls).toBeLessThanOrEqual(row.calls.max);
  const entries = requestEntries(served.output());
  const entry = entries.find(({ requestId }) => requestId === headers['x-request-id']);
  if (row.cause) expect(entry?.['cause']).toMatchObject(row.cause);
  else expect(entry).not.toHaveProperty('cause');
  service.failNext(what);
  expect((await send(served.url, { key, target })).status).toBe(200);
}

type Check = (row: CallCase, context: { readonly expect: ExpectStatic }) => Promise<void>;

const checkDocument: Check = async (row, { expect }) => {
  const key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  const what = hashApiKey(key);
  const name = `${ROOT}/apiKeys/${what}`;
  await check(row, { what, name, wallet, key, target: `?wallet=${wallet}` }, expect);
};

const checkQuery: Check = async (row, { expect }) => {
  const key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  await check(row, { what: wallet, name: '', wallet, key, target: `?wallet=${wallet}` }, expect);
};

const checkAccount: Check = async (row, { expect }) => {
  const key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  const email = await seedAccount({ wallet });
  const subject = { what: email, name: email, wallet, key, target: `?email=${email}`, email };
  await check(row, subject, expect);
};

describe.each<[string, readonly CallCase[], Check]>([
  ['reading a key gets', DOCUMENT_CASES, checkDocument],
  ['a query gets', QUERY_CASES, checkQuery],
  ['a call to Authentication gets', ACCOUNT_CASES, checkAccount],
])('%s', (_, cases, check) => {
  const title = '$title, and the lookup returns $status';
  test.concurrent.for(cases.filter(({ isHeavy }) => !isHeavy))(title, check);
  test.for(cases.filter(({ isHeavy }) => isHeavy))(title, check);
});

test('no call outlives its lookup', async () => {
  const key = await seedKey();
  const wallet = await seedWallet();
  const request = { key, target: `?wallet=${wallet}` };
  // The function now knows the key, so the next lookup makes its reads concurrently.
  expect((await send(served.url, request)).status).toBe(200);
  google.firestore.service.failAll(wallet, faults.unanswered);
  google.firestore.service.failNext(hashApiKey(key), faults.refuse(403, 'PERMISSION_DENIED'));
  expect((await send(served.url, request)).status).toBe(500);
  for (const { service } of [google.accounts, google.firestore, google.metadata]) {
    await expect.poll(() => service.inFlight, { interval: 10 }).toBe(0);
  }
});
