// Tests how the function gets its access token, even from a failing metadata server.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, type TestContext, test, vi } from 'vitest';
import { openGoogleAccount } from '../../functions/src/google/serviceAccount.ts';
import { describeCause } from '../../functions/src/requestLog.ts';
import { ACCESS_TOKEN_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import type { Fault } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';
import { createMetadataServer } from '../doubles/googleCloud.ts';
import { loggedEntries } from '../support/http.ts';
import { randomAddress } from '../support/random.ts';
import { seedAccount, seedKey } from '../support/seed.ts';
import { startWatch } from '../support/watch.ts';
import { deploy } from './steadyStream.ts';

/** The lifetime of a token that is valid but already due for a refresh. */
const DUE_SECONDS = 120;
/** Enough lookups for three refreshes. */
const LOOKUPS = 35;
const EVERY_MS = 100;

const token = (value: string): Fault =>
  faults.respondJson({ access_token: value, expires_in: 3_600, token_type: 'Bearer' });

type Row = readonly [string, Fault];
const FAULTS: readonly Row[] = [
  ['is unavailable', faults.respond(503, 'not now')],
  ['refuses requests', faults.respond(403, 'no such account')],
  ['closes the connection', faults.closedBeforeHeaders],
  ['hangs', faults.unanswered],
];
const SLOW: Row = ['takes 3 seconds to respond', faults.delayed(3_000)];
const LINE_BREAK: Row = [
  'sends a token with a line break',
  token('secret-of-a-token\r\nX-Injected: 1'),
];
/** Responses that must not be used, logged or kept in memory. */
const UNUSABLE: readonly Row[] = [
  LINE_BREAK,
  ['sends a token that is not a valid header value', token('secret-of-a-token-é')],
  ['sends no token', faults.respondJson({ expires_in: 3_600 })],
  ['sends a token without a lifetime', faults.respondJson({ access_token: 'secret-of-a-token' })],
  ['sends an HTML page', faults.page(200)],
  ['sends an endless body', faults.endless],
  ['sends a compressed body', faults.compressed],
];

/** Opens an account that has no token yet, with a metadata server of its own. */
async function openAccount({ onTestFinished }: TestContext) {
  const metadata = await createMetadataServer();
  onTestFinished(metadata.close);
  const env = { GCLOUD_PROJECT: 'any', GCE_METADATA_HOST: metadata.host };
  const { authorize } = openGoogleAccount(env);
  const currentToken = async () => (await authorize(() => undefined)).headers['Authorization'];
  return { metadata, service: metadata.service, authorize, currentToken };
}
const FIRST = 'Bearer access-token-1';

describe.concurrent('a metadata server that', () => {
  test.for([...FAULTS, SLOW])('%s for a moment delays the token', async ([, fault], context) => {
    const { expect } = context;
    const { service, currentToken } = await openAccount(context);
    service.failNext('token', fault, ...(fault === faults.unanswered ? [] : [fault]));
    // Concurrent lookups share one refresh.
    expect(await Promise.all([currentToken(), currentToken()])).toEqual([FIRST, FIRST]);
  });

  test.for([...FAULTS, ...UNUSABLE])(
    '%s for long causes a failure in time, and none after it',
    async ([, fault], context) => {
      const { expect } = context;
      const { service, currentToken } = await openAccount(context);
      service.failAll('token', fault);
      const watch = startWatch();
      const failure = await currentToken().catch((error: unknown) => describeCause(error));
      expect(watch(), 'milliseconds until the failure').toBeLessThan(ACCESS_TOKEN_LIMIT_MS + 500);
      expect(failure).toMatchObject({ name: expect.stringMatching(/GoogleError|Unusable/) });
      expect(JSON.stringify(failure)).not.toContain('secret-of-a-token');
      // The first attempt, which may still get a slow response, and the latest.
      expect(service.maxInFlight, 'calls to the metadata server at once').toBeLessThanOrEqual(2);
      service.failAll('token', undefined);
      // On a busy machine an abandoned attempt, which arrives late, may have got the first one.
      expect(await currentToken()).toMatch(/^Bearer access-token-\d$/);
    },
  );

  test('fails until one caller gives up has no effect on the next one', async (context) => {
    const { service, currentToken } = await openAccount(context);
    service.failAll('token', faults.respond(503, 'not now'));
    // The second caller waits for the refresh that the first one has begun.
    const [first, second] = [currentToken().catch(() => 'failed'), currentToken()];
    context.expect(await first).toBe('failed');
    service.failAll('token', undefined);
    context.expect(await second).toBe(FIRST);
  });

  test.for([...FAULTS, LINE_BREAK])(
    '%s while the token is still valid has no effect',
    async ([, fault], context) => {
      const { expect } = context;
      const { metadata, service, currentToken } = await openAccount(context);
      metadata.lifetimeSeconds = DUE_SECONDS;
      await currentToken();
      service.failAll('token', fault);
      for (let made = 0; made < LOOKUPS; made += 1) {
        expect(await currentToken()).toBe(FIRST);
        await pause(EVERY_MS);
      }
      // A refresh begins at most once a second, and not with each lookup.
      expect(service.calls.length).toBeGreaterThan(1);
      expect(service.calls.length).toBeLessThan(LOOKUPS / 2);
      // A refresh in flight is shared, also by those that begin later.
      expect(service.maxInFlight, 'calls to the metadata server at once').toBeLessThanOrEqual(2);
    },
  );
});

test('a token is used for almost an hour, whatever its lifetime', async (context) => {
  const { metadata, currentToken } = await openAccount(context);
  metadata.lifetimeSeconds = 86_400;
  context.onTestFinished(() => void vi.useRealTimers());
  const startedAt = Date.now();
  const after = (seconds: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: startedAt + seconds * 1_000 });
    return currentToken();
  };
  expect([await after(0), await after(3_000), await after(3_595)]).toEqual([
    FIRST,
    FIRST,
    'Bearer access-token-2',
  ]);
});

test('of several calls with a refused token, only the first drops it, and a doubtful refusal one a minute', async (context) => {
  const { authorize } = await openAccount(context);
  const current = () => authorize(() => undefined);
  const refused = await current();
  expect(refused.dropToken?.(true)).toBe(true);
  const next = await current();
  expect(refused.dropToken?.(true)).toBe(true);
  expect(await current()).toBe(next);
  vi.useFakeTimers({ toFake: ['performance'] });
  context.onTestFinished(() => void vi.useRealTimers());
  const drops: unknown[] = [];
  for (const ms of [0, 0, 59_999, 1]) {
    vi.advanceTimersByTime(ms);
    drops.push((await current()).dropToken?.(false));
  }
  expect(drops).toEqual([true, false, false, true]);
});

describe('in a deployed function', async () => {
  const { google, served, status, stop } = await deploy(await seedKey(), ({ metadata }) => {
    metadata.service.failAll('token', faults.unanswered);
  });
  const { firestore, accounts, metadata } = google;
  const { service } = firestore;
  afterAll(stop);

  test('lookups without a token fail in time, and none fails once there is one', async () => {
    const respond = async () => expect(await status('')).toBe(500);
    // The second lookup waits for the token that the first one has requested.
    await Promise.all([respond(), pause(3_000).then(respond)]);
    const failures = loggedEntries(served.output()).filter(({ severity }) => severity === 'ERROR');
    expect(failures).toHaveLength(2);
    for (const { cause, durationMs } of failures) {
      expect(durationMs).toBeGreaterThan(ACCESS_TOKEN_LIMIT_MS - 100);
      expect(JSON.stringify(cause)).toContain('the metadata server did not respond in time');
      expect(String(Object(cause).stack)).toMatch(/ \(index\.cjs:\d+:\d+\)/);
    }
    metadata.service.failAll('token', undefined);
    expect(await status('')).toBe(400);
  });

  test('Firestore and Authentication get the same token', async () => {
    const before = service.calls.length;
    expect(await status(`?email=${await seedAccount({ wallet: randomAddress() })}`)).toBe(200);
    const root = `/v1/projects/${process.env['GCLOUD_PROJECT']}`;
    const documents = `${root}/databases/(default)/documents`;
    const calls = [...service.calls.slice(before), ...accounts.service.calls];
    expect(calls.map(({ path }) => path)).toEqual([
      `${documents}:batchGet?prettyPrint=false`,
      `${documents}:runQuery?prettyPrint=false`,
      `${root}/accounts:lookup`,
    ]);
    const authorization = `Bearer ${metadata.tokens[0]}`;
    for (const { headers } of calls) {
      expect(headers).toMatchObject({ authorization, 'content-type': 'application/json' });
    }
  });

  test('a token that Google refuses is replaced before it expires', async () => {
    const [refused] = metadata.tokens;
    const before = service.calls.length;
    service.failAll('batchGet', async (response, reply) => {
      const isRefused = service.calls.at(-1)?.headers.authorization === `Bearer ${refused}`;
      const fault = isRefused ? faults.refuse(401, 'UNAUTHENTICATED') : faults.altered(String);
      await fault(response, reply);
    });
    for (const _ of ['refused', 'replaced']) expect(await status('')).toBe(400);
    expect(metadata.tokens.length).toBe(2);
    expect(service.calls.length - before, 'calls to Firestore').toBe(3);
  });
});
