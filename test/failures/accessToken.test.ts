// Tests how a deployed function gets its access token, even from a failing metadata server.

import { afterAll, describe, expect, test } from 'vitest';
import * as faults from '../../tools/doubles/callFaults.ts';
import type { Fault } from '../../tools/doubles/serviceDouble.ts';
import { loggedEntries } from '../support/log.ts';
import { randomAddress } from '../support/random.ts';
import { seedAccount, seedKey } from '../support/seed.ts';
import { deploy, RESPONSE_MAX_MS, startStream } from './steadyStream.ts';

/** A lookup with an unknown key makes one read, which needs a token. Its 401 shows that the read succeeded. */
const UNKNOWN = 'unknown';
const TARGET = '?wallet=unknown';
/** The lifetime of a token that is valid but already due for a refresh. */
const DUE_SECONDS = 120;
/** A lifetime that is too short for another read. */
const EXPIRED_SECONDS = 5;
/** Enough lookups for two seconds. */
const REFRESH_LOOKUPS = 40;
/** The number of requests that begin after a fault. */
const AFTER = 4;
/** The first attempt, which may still get a slow response, and the latest. */
const REQUESTS_MAX = 2;

const token = (value: string): Fault =>
  faults.respondJson({ access_token: value, expires_in: 3_600, token_type: 'Bearer' });

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['is unavailable', faults.respond(503, 'not now')],
  ['refuses requests', faults.respond(403, 'no such account')],
  ['closes the connection', faults.closedBeforeHeaders],
  ['hangs', faults.unanswered],
];
const SLOW = ['takes 3 seconds to respond', faults.delayed(3_000)] as const;
/** Responses that must not be used, logged or kept in memory. */
const UNUSABLE: readonly (readonly [string, Fault])[] = [
  ['sends a token with a line break', token('secret-of-a-token\r\nX-Injected: 1')],
  ['sends a token that is not a valid header value', token('secret-of-a-token-é')],
  ['sends no token', faults.respondJson({ expires_in: 3_600 })],
  ['sends a token without a lifetime', faults.respondJson({ access_token: 'secret-of-a-token' })],
  ['sends an HTML page', faults.page(200)],
  ['sends an endless body', faults.endless],
  ['sends a compressed body', faults.compressed],
];

/** A lookup whose token has expired needs a new one each time, like the first of an instance. */
describe('a metadata server that', async () => {
  const { google, served, status, stop } = await deploy(UNKNOWN, ({ metadata }) => {
    metadata.lifetimeSeconds = EXPIRED_SECONDS;
    return {};
  });
  const { metadata, firestore } = google;
  const { service } = metadata;
  const failures = () =>
    loggedEntries(served.output()).filter(({ severity }) => severity === 'ERROR');
  afterAll(async () => {
    expect(service.maxInFlight).toBeLessThanOrEqual(REQUESTS_MAX);
    expect(served.output()).not.toContain('secret-of-a-token');
    await stop();
  });

  test.each([...FAULTS, SLOW])('%s for a moment delays the response', async (_, fault) => {
    const before = failures().length;
    service.failNext('token', fault, ...(fault === faults.unanswered ? [] : [fault]));
    expect(await status(TARGET)).toBe(401);
    expect(failures().length).toBe(before);
  });

  test.each([...FAULTS.slice(2), ...UNUSABLE])(
    '%s makes requests fail in time, and none fails after the fault',
    async (_, fault) => {
      const before = failures().length;
      service.failAll('token', fault);
      const stream = startStream(served, () => status(TARGET));
      await stream.responded(1);
      service.failAll('token', undefined);
      const endedAt = stream.now();
      await stream.responded(AFTER);
      const responses = await stream.stop();
      expect(responses[0]?.status).toBe(500);
      for (const { ranMs } of responses) expect(ranMs).toBeLessThan(RESPONSE_MAX_MS);
      const after = responses.filter(({ at }) => at >= endedAt);
      expect(new Set(after.map((response) => response.status))).toEqual(new Set([401]));
      expect(firestore.service.calls.at(-1)?.headers).toMatchObject({
        authorization: `Bearer ${metadata.tokens.at(-1)}`,
      });
      const causes = failures()
        .slice(before)
        .map(({ cause }) => cause);
      expect(causes.length).toBeGreaterThan(0);
      for (const cause of causes) {
        expect(['GoogleError', 'UnusableResponse']).toContain(Object(cause).name);
        expect(String(Object(cause).stack)).toMatch(/ \(index\.cjs:\d+:\d+\)/);
        // A time-out names the metadata server, also if the lookup waited for another's refresh.
        const text = JSON.stringify(cause);
        if (text.includes('in time')) expect(text).toContain('the metadata server');
      }
    },
  );

  // Keeps the token that was issued last, so it comes after the others.
  test.each([...FAULTS, ...UNUSABLE.slice(0, 1)])(
    '%s while the token is still valid has no effect',
    async (_, fault) => {
      metadata.lifetimeSeconds = DUE_SECONDS;
      service.failAll('token', undefined);
      expect(await status(TARGET)).toBe(401);
      service.failAll('token', fault);
      const before = service.calls.length;
      const stream = startStream(served, () => status(TARGET), 50);
      await expect.poll(() => service.calls.length).toBeGreaterThan(before);
      await stream.responded(REFRESH_LOOKUPS);
      const responses = await stream.stop();
      // A refresh begins at most once a second, and not with each lookup.
      expect(service.calls.length - before).toBeLessThan(REFRESH_LOOKUPS / 2);
      expect(new Set(responses.map((response) => response.status))).toEqual(new Set([401]));
    },
  );
});

test('a token that Google refuses is replaced before it expires', async () => {
  const { google, status, stop } = await deploy(UNKNOWN);
  expect(await status(TARGET)).toBe(401);
  const { service } = google.firestore;
  const [refused] = google.metadata.tokens;
  const before = service.calls.length;
  service.failAll('batchGet', async (response, reply) => {
    const isRefused = service.calls.at(-1)?.headers.authorization === `Bearer ${refused}`;
    await (isRefused ? faults.refuse(401, 'UNAUTHENTICATED') : faults.altered(String))(
      response,
      reply,
    );
  });
  expect(await status(TARGET)).toBe(401);
  expect(await status(TARGET)).toBe(401);
  expect(google.metadata.tokens.length).toBe(2);
  expect(service.calls.length - before).toBe(3);
  await stop();
});

test('Firestore and Authentication get the same token', async () => {
  const { google, status, stop } = await deploy(await seedKey());
  expect(await status(`?email=${await seedAccount({ wallet: randomAddress() })}`)).toBe(200);
  const { firestore, accounts, metadata } = google;
  const calls = [...firestore.service.calls, ...accounts.service.calls];
  expect(calls.map(({ method }) => method)).toEqual(['batchGet', 'runQuery', 'lookup']);
  for (const { headers, path } of calls) {
    expect(headers.authorization).toBe(`Bearer ${metadata.tokens[0]}`);
    expect(path).toContain(`/v1/projects/${process.env['GCLOUD_PROJECT']}/`);
  }
  await stop();
});
