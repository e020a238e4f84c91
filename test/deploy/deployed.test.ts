// Tests a deployed function's connection to Firestore: TLS to the real host, with an access token.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { type ServedFunction, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { seedKey, seedToken, seedWallet } from '../support/seed.ts';

const CONCURRENCY = 80;

let google: GoogleCloud;
let served: ServedFunction;

beforeAll(async () => {
  google = await createGoogleCloud();
  served = await serveFunction(google.env);
});

afterAll(async () => {
  await served.stop();
  google.close();
});

test('a function gets its token at the start, and reads nothing before the first request', async () => {
  await expect.poll(() => google.metadata.tokens.length).toBe(1);
  expect(google.firestore.service.calls).toEqual([]);
});

test('each read is sent to the real host over TLS, with the access token', async () => {
  const request = {
    key: await seedKey(),
    target: `?wallet=${await seedWallet({ attestationType: 0 })}`,
  };
  expect((await send(served.url, request)).json.count).toBe(1);
  const { calls } = google.firestore.service;
  const documents = `/v1/projects/${process.env['GCLOUD_PROJECT']}/databases/(default)/documents`;
  expect(calls.map(({ path }) => path)).toEqual([
    `${documents}:batchGet?prettyPrint=false`,
    `${documents}:runQuery?prettyPrint=false`,
  ]);
  for (const { headers } of calls) {
    expect(headers).toMatchObject({
      host: 'firestore.googleapis.com',
      authorization: `Bearer ${google.metadata.tokens[0]}`,
    });
  }
});

test("serves an instance's maximum of concurrent requests, each with two concurrent reads", async () => {
  const key = await seedKey();
  const target = `?token=${await seedToken(await seedWallet({ attestationType: 0 }))}`;
  const statuses = async () =>
    (
      await Promise.all(
        Array.from({ length: CONCURRENCY }, () => send(served.url, { key, target })),
      )
    ).map(({ status }) => status);
  // The first round caches the key, so the second prefetches.
  for (const _ of [1, 2]) expect(await statuses()).toEqual(Array(CONCURRENCY).fill(200));
  expect(google.firestore.network.openCount).toBeLessThanOrEqual(2 * CONCURRENCY);
});
