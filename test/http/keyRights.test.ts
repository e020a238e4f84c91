// Tests what a key may do, with the function served as in production, and records as an admin could write them by hand.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { hashApiKey, keyId, MODES, type Mode } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import {
  randomContextHash,
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
} from '../support/seed.ts';

const { db } = openEmulators();

const DAY_MS = 24 * 60 * 60 * 1000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

const served = await serveFunction();
const limited = await serveFunction({ LOOKUP_READS_PER_SECOND: '1' });
afterAll(() => Promise.all([served.stop(), limited.stop()]));

const votes = (count: number) =>
  Array.from({ length: count }, () => ({
    attestationType: 1,
    contextHashHex: randomContextHash(),
  }));
const wallet = await seedWallet(...votes(5));
/** One lookup puts a key with a small budget in debt for minutes. */
const MANY_VOTES = 230;
const MANY = `?wallet=${await seedWallet(...votes(MANY_VOTES))}`;
/** How many lookups the tests of the charge make in debt, and at most before it. */
const REFUSALS = 10;
const ADMITTED_MAX = 60;
const SUBJECTS: Readonly<Record<Mode, string>> = {
  wallet: `?wallet=${wallet}`,
  email: `?email=${await seedAccount({ wallet })}`,
  token: `?token=${await seedToken(wallet)}`,
};

const record = (key: string) => db.collection('apiKeys').doc(hashApiKey(key));
const lookUp = (key: string, target: string, { url } = served) => send(url, { key, target });

/**
 * Makes lookups until one is refused, because a busy machine may take so long that the debt is paid.
 *
 * @returns the seconds in Retry-After, and how many lookups were admitted before
 */
async function refusal(key: string, target: string) {
  for (let admitted = 0; admitted < ADMITTED_MAX; admitted += 1) {
    const { json, headers } = await lookUp(key, target);
    if (json.code === 'rate_limited') return { seconds: Number(headers['retry-after']), admitted };
  }
  throw new Error('No lookup was refused.');
}

/** @returns the code of the response, or `ok`, for each mode */
async function outcomes(key: string, at = served): Promise<Record<string, string>> {
  const entries = MODES.map(async (mode) => {
    const { json } = await lookUp(key, SUBJECTS[mode], at);
    return [mode, json.code ?? 'ok'];
  });
  return Object.fromEntries(await Promise.all(entries));
}
const all = (outcome: string) => Object.fromEntries(MODES.map((mode) => [mode, outcome]));
const onlyToken = { ...all('mode_not_allowed'), token: 'ok' };

const ROWS: readonly (readonly [string, Record<string, unknown>, object])[] = [
  ['no rights', {}, all('ok')],
  ['one mode', { modes: ['token'] }, onlyToken],
  ['two modes', { modes: ['token', 'wallet'] }, { ...onlyToken, wallet: 'ok' }],
  ['all modes', { modes: MODES }, all('ok')],
  ['no mode', { modes: [] }, all('mode_not_allowed')],
  ['modes as text', { modes: 'wallet,email,token' }, all('mode_not_allowed')],
  ['an end in the future', { expiresAt: fromNow(DAY_MS) }, all('ok')],
  ['an end that has passed', { expiresAt: fromNow(-1_000) }, all('unauthorized')],
  ['an end as text', { expiresAt: fromNow(DAY_MS).toISOString() }, all('unauthorized')],
  ['many reads per second', { readsPerSecond: 1_000 }, all('ok')],
  [
    'all rights',
    { modes: ['token'], expiresAt: fromNow(DAY_MS), readsPerSecond: 1_000 },
    onlyToken,
  ],
  ['all rights after the end', { modes: MODES, expiresAt: fromNow(-1) }, all('unauthorized')],
];

test.each(ROWS)('a key with %s, new and seen before', async (_, rights, expected) => {
  const key = await seedKey(rights);
  expect(await outcomes(key)).toEqual(expected);
  expect(await outcomes(key)).toEqual(expected);
});

test.each([
  ['missing_subject', ''],
  ['missing_subject', '?wallet='],
  ['repeated_parameter', '?wallet=a&wallet=b'],
  ['mode_not_allowed', '?wallet=not-a-wallet'],
  ['mode_not_allowed', `?wallet=${wallet}&token=a`],
  ['mode_not_allowed', '?email=nobody@example.com'],
])('%s comes first, for a key that allows only tokens: %s', async (code, target) => {
  const key = await seedKey({ modes: ['token'] });
  expect((await lookUp(key, target)).json.code).toBe(code);
  await lookUp(key, SUBJECTS.token);
  expect((await lookUp(key, target)).json.code).toBe(code);
});

describe('a change of the record decides from the next request', () => {
  test('on modes, and back', async () => {
    const key = await seedKey();
    expect(await outcomes(key)).toEqual(all('ok'));
    await record(key).update({ modes: ['token'] });
    expect(await outcomes(key)).toEqual(onlyToken);
    await record(key).update({ modes: ['wallet', 'email'] });
    expect(await outcomes(key)).toEqual({ ...all('ok'), token: 'mode_not_allowed' });
  });

  test('on an end, which also comes by itself', async () => {
    const key = await seedKey();
    expect(await outcomes(key)).toEqual(all('ok'));
    await record(key).update({ expiresAt: new Date() });
    expect(await outcomes(key)).toEqual(all('unauthorized'));
    const end = Date.now() + 1_500;
    await record(key).update({ expiresAt: new Date(end) });
    const before = await lookUp(key, SUBJECTS.wallet);
    // On a busy machine the response may come after the end.
    if (Date.now() < end) expect(before.status).toBe(200);
    await pause(end - Date.now());
    expect(await outcomes(key)).toEqual(all('unauthorized'));
  });

  test('on a budget', async () => {
    const key = await seedKey();
    await outcomes(key);
    await record(key).update({ readsPerSecond: 1 });
    // Lookups that began before this one ended might not know the new budget.
    await lookUp(key, SUBJECTS.wallet);
    await lookUp(key, MANY);
    expect((await lookUp(key, SUBJECTS.wallet)).status).toBe(429);
  });
});

describe('the budget', () => {
  test.each([
    ['1 for the key and 1 for each attestation', 6, SUBJECTS.wallet],
    ['the same by e-mail address', 6, SUBJECTS.email],
    ['1 more for a token', 7, SUBJECTS.token],
    ['2 for a wallet without attestations', 2, `?wallet=${randomWallet()}`],
    ['2 for an unknown token', 2, `?token=${randomUUID()}`],
    ['1 for a query without a subject', 1, ''],
  ])('is charged %s', async (_, reads, target) => {
    const key = await seedKey({ readsPerSecond: 1 });
    const startedAt = performance.now();
    let admitted = 0;
    // Refused lookups neither pay the debt nor raise it.
    for (let refused = 0; refused < REFUSALS && admitted < ADMITTED_MAX; ) {
      if ((await lookUp(key, target)).status === 429) refused += 1;
      else admitted += 1;
    }
    const { seconds, admitted: more } = await refusal(key, target);
    const debt = (admitted + more) * reads - 10;
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    expect(seconds).toBeLessThanOrEqual(debt + 1);
    expect(seconds + elapsedSeconds).toBeGreaterThan(debt);
  });

  test('is refilled, and a lookup is admitted after the time in Retry-After', async () => {
    const key = await seedKey({ readsPerSecond: 20 });
    const { seconds } = await refusal(key, MANY);
    await pause(seconds * 1_000);
    expect((await lookUp(key, MANY)).json.count).toBe(MANY_VOTES);
  });

  test('leaves other keys alone, and nothing is read in debt', async () => {
    const [key, other] = [await seedKey({ readsPerSecond: 1 }), await seedKey()];
    await lookUp(key, MANY);
    expect(await outcomes(other)).toEqual(all('ok'));
    // If the record were read, it would decide.
    await record(key).update({ active: false });
    expect(await outcomes(key)).toEqual(all('rate_limited'));
    const logged = requestEntries(served.output()).filter(
      (entry) => entry['keyId'] === keyId(hashApiKey(key)) && entry['status'] === 429,
    );
    expect(logged.at(-1)).toMatchObject({
      severity: 'INFO',
      code: 'rate_limited',
      project: 'Test DAO',
    });
  });

  test.each([
    ['no field', {}, 429],
    ['text', { readsPerSecond: '1000' }, 429],
    ['an own limit', { readsPerSecond: 1_000 }, 200],
  ])("is the deployment's for a record with %s", async (_, rights, status) => {
    const key = await seedKey(rights);
    await lookUp(key, MANY, limited);
    expect((await lookUp(key, SUBJECTS.wallet, limited)).status).toBe(status);
  });

  test('does not limit a key where neither the record nor the deployment has one', async () => {
    const key = await seedKey();
    for (let round = 0; round < 3; round++) expect((await lookUp(key, MANY)).status).toBe(200);
  });
});
