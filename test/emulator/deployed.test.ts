// The way to Firestore of a deployed function: the real host by TLS, with its account's access token.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGoogleCloud, type GoogleCloud } from '../../testbed/googleCloud.ts';
import { type ServedFunction, serveFunction } from '../../testbed/servedFunction.ts';
import { send } from './support/http.ts';
import { randomContextHash, seedKey, seedToken, seedWallet } from './support/seed.ts';

const AT_ONCE = 80;

let google: GoogleCloud;
let served: ServedFunction;

beforeAll(async () => {
  google = await createGoogleCloud(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
  served = await serveFunction(google.env);
});

afterAll(async () => {
  await served.stop();
  google.close();
});

test('a starting function opens the way before the first request', async () => {
  await expect.poll(() => google.calls.length).toBe(1);
});

test('each read says who reads and where the data is', async () => {
  google.calls.length = 0;
  const request = {
    key: await seedKey(),
    target: `?wallet=${await seedWallet({ attestationType: 0 })}`,
  };
  expect((await send(served.url, request)).json.count).toBe(1);
  const project = process.env['GCLOUD_PROJECT'];
  const database = `projects/${project}/databases/(default)`;
  const routing = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
  expect(google.calls).toMatchObject([
    {
      ':path': '/google.firestore.v1.Firestore/BatchGetDocuments',
      'x-goog-request-params': routing('database', database),
    },
    {
      ':path': '/google.firestore.v1.Firestore/RunQuery',
      'x-goog-request-params': routing('parent', `${database}/documents`),
    },
  ]);
  for (const headers of google.calls) {
    expect(headers).toMatchObject({
      ':authority': 'firestore.googleapis.com',
      authorization: `Bearer ${google.metadata.tokens[0]}`,
      'google-cloud-resource-prefix': database,
    });
  }
});

test('as many requests as an instance may hold, each reading two things at once', async () => {
  const key = await seedKey();
  const target = `?token=${await seedToken(await seedWallet({ attestationType: 0 }))}`;
  const statuses = async () =>
    (
      await Promise.all(Array.from({ length: AT_ONCE }, () => send(served.url, { key, target })))
    ).map(({ status }) => status);
  // The first round makes the key known, the second reads ahead.
  for (const _ of [1, 2]) expect(await statuses()).toEqual(Array(AT_ONCE).fill(200));
});

test('a read that the database does not take is tried five times in all', async () => {
  // An unknown key is one read and nothing else.
  const ask = async (refused: number) => {
    google.calls.length = 0;
    google.refuseCalls(refused);
    const { status } = await send(served.url, { key: 'unknown', target: '?wallet=unknown' });
    return { status, calls: google.calls.length };
  };
  expect(await ask(4)).toEqual({ status: 401, calls: 5 });
  expect(await ask(5)).toEqual({ status: 500, calls: 5 });
});

test('an answer that is cut off is asked for again', async () => {
  const held = Array.from({ length: 1_000 }, () => ({
    attestationType: 1,
    contextHashHex: randomContextHash(),
  }));
  const request = { key: await seedKey(), target: `?wallet=${await seedWallet(...held)}` };
  google.calls.length = 0;
  google.cutOffQuery();
  expect((await send(served.url, request)).json.count).toBe(held.length);
  expect(google.calls.map(({ ':path': path }) => path?.split('/').at(-1))).toEqual([
    'BatchGetDocuments',
    'RunQuery',
    'RunQuery',
  ]);
});
