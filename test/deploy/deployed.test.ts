// The connection to Firestore of a deployed function: the real host by TLS, with its account's access token.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGoogleCloud, type GoogleCloud } from '../../doubles/googleCloud.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { seedKey, seedToken, seedWallet } from '../support/seed.ts';

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

test('a starting function connects and has its token before the first request, and reads nothing', async () => {
  await expect.poll(() => google.database.connections()).toBe(1);
  await expect.poll(() => google.metadata.tokens.length).toBe(1);
  expect(google.database.calls).toEqual([]);
});

test('each read carries its credentials and its routing header', async () => {
  const request = {
    key: await seedKey(),
    target: `?wallet=${await seedWallet({ attestationType: 0 })}`,
  };
  expect((await send(served.url, request)).json.count).toBe(1);
  const project = process.env['GCLOUD_PROJECT'];
  const database = `projects/${project}/databases/(default)`;
  const routing = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
  expect(google.database.calls).toMatchObject([
    {
      ':path': '/google.firestore.v1.Firestore/BatchGetDocuments',
      'x-goog-request-params': routing('database', database),
    },
    {
      ':path': '/google.firestore.v1.Firestore/RunQuery',
      'x-goog-request-params': routing('parent', `${database}/documents`),
    },
  ]);
  for (const headers of google.database.calls) {
    expect(headers).toMatchObject({
      ':authority': 'firestore.googleapis.com',
      authorization: `Bearer ${google.metadata.tokens[0]}`,
      'google-cloud-resource-prefix': database,
    });
  }
});

test('as many concurrent requests as an instance takes, each with two concurrent reads', async () => {
  const key = await seedKey();
  const target = `?token=${await seedToken(await seedWallet({ attestationType: 0 }))}`;
  const statuses = async () =>
    (
      await Promise.all(Array.from({ length: AT_ONCE }, () => send(served.url, { key, target })))
    ).map(({ status }) => status);
  // The first round makes the key known, the second prefetches.
  for (const _ of [1, 2]) expect(await statuses()).toEqual(Array(AT_ONCE).fill(200));
});
