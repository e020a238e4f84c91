// Tests what a key may do, with records as an admin could write them by hand.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { hashApiKey, keyId, MODES, type Mode } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { openEndpoint } from '../support/endpoints.ts';
import {
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
  votes,
} from '../support/seed.ts';

const { db } = openEmulators();

const NOW = Date.now();
const date = (ms: number): Date => new Date(NOW + ms);
let now = NOW;
let logged: LogLine[] = [];
const open = (readsPerSecond = 0) =>
  openEndpoint(() => ({ now: () => now, log: (line) => logged.push(line), readsPerSecond }));
const lookUp = open();

// Budgets grow in the time of `performance`, which stands still unless a test moves it.
vi.useFakeTimers({ toFake: ['performance'] });
afterAll(() => vi.useRealTimers());
beforeEach(() => {
  now = NOW;
  logged = [];
});

const wallet = await seedWallet(...votes(5));
const SUBJECTS: Readonly<Record<Mode, string>> = {
  wallet: `wallet=${wallet}`,
  email: `email=${await seedAccount({ wallet })}`,
  token: `token=${await seedToken(wallet)}`,
};

const record = (key: string) => db.collection('apiKeys').doc(hashApiKey(key));

/** @returns the code of the response, or `ok` */
const codeOf = async (key: string, query: string, at = lookUp): Promise<string> =>
  (await at(key, query)).json.code ?? 'ok';
/** @returns the code in each mode */
async function outcomes(key: string): Promise<Record<string, string>> {
  const codes = MODES.map(async (mode) => [mode, await codeOf(key, SUBJECTS[mode])]);
  return Object.fromEntries(await Promise.all(codes));
}
const all = (outcome: string) => Object.fromEntries(MODES.map((mode) => [mode, outcome]));
const onlyToken = { ...all('mode_not_allowed'), token: 'ok' };

const ROWS: readonly (readonly [string, Record<string, unknown>, object])[] = [
  ['no rights', {}, all('ok')],
  ['one mode', { modes: ['token'] }, onlyToken],
  ['modes as text', { modes: 'wallet,email,token' }, all('mode_not_allowed')],
  ['an end in the future', { expiresAt: date(1) }, all('ok')],
  ['an end that has passed', { expiresAt: date(0) }, all('unauthorized')],
  ['an end as text', { expiresAt: date(1_000).toISOString() }, all('unauthorized')],
  ['all rights', { modes: ['token'], expiresAt: date(1), readsPerSecond: 1_000 }, onlyToken],
];

test.each(ROWS)('a key with %s, new and seen before', async (_, rights, expected) => {
  const key = await seedKey(rights);
  expect(await outcomes(key)).toEqual(expected);
  expect(await outcomes(key)).toEqual(expected);
});

test.each([
  ['missing_subject', ''],
  ['missing_subject', 'wallet='],
  ['repeated_parameter', 'wallet=a&wallet=b'],
  ['mode_not_allowed', 'wallet=not-a-wallet'],
  ['mode_not_allowed', `wallet=${wallet}&token=a`],
  ['mode_not_allowed', 'email=nobody@example.com'],
])('%s comes first, for a key that allows only tokens: %s', async (code, query) => {
  const key = await seedKey({ modes: ['token'] });
  expect(await codeOf(key, query)).toBe(code);
  await lookUp(key, SUBJECTS.token);
  expect(await codeOf(key, query)).toBe(code);
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
    await record(key).update({ expiresAt: date(0) });
    expect(await outcomes(key)).toEqual(all('unauthorized'));
    await record(key).update({ expiresAt: date(1_000) });
    now += 999;
    expect(await outcomes(key)).toEqual(all('ok'));
    now += 1;
    expect(await outcomes(key)).toEqual(all('unauthorized'));
  });

  test('on a budget, of which no more than 10 seconds are saved', async () => {
    const key = await seedKey();
    await lookUp(key, '');
    await record(key).update({ readsPerSecond: 1 });
    expect(await codeOf(key, SUBJECTS.wallet)).toBe('ok');
    for (const _ of ['from the former budget', 'after an hour']) {
      for (const code of ['ok', 'ok', 'rate_limited']) {
        expect(await codeOf(key, SUBJECTS.wallet)).toBe(code);
      }
      vi.advanceTimersByTime(3_600_000);
    }
  });
});

describe('the budget', () => {
  test.each([
    ['1 for the key and 1 for each attestation', 6, SUBJECTS.wallet],
    ['the same by e-mail address', 6, SUBJECTS.email],
    ['1 more for a token', 7, SUBJECTS.token],
    ['2 for a wallet without attestations', 2, `wallet=${randomWallet()}`],
    ['2 for an unknown token', 2, `token=${randomUUID()}`],
    ['1 for a query without a subject', 1, ''],
  ])('is charged %s, and admits a lookup after the time in Retry-After', async (...row) => {
    const [, reads, query] = row;
    const key = await seedKey({ readsPerSecond: 2 });
    let left = 20;
    for (; left > 0; left -= reads) expect(await codeOf(key, query)).not.toBe('rate_limited');
    const seconds = Math.floor(-left / 2) + 1;
    const { status, headers } = await lookUp(key, query);
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'Retry-After': `${seconds}` });
    // A refused lookup does not raise the debt.
    vi.advanceTimersByTime((-left / 2) * 1_000);
    expect(await codeOf(key, query)).toBe('rate_limited');
    vi.advanceTimersByTime((seconds + left / 2) * 1_000);
    expect(await codeOf(key, query)).not.toBe('rate_limited');
  });

  test('leaves other keys alone, and nothing is read in debt', async () => {
    const [key, other] = [await seedKey({ readsPerSecond: 1 }), await seedKey()];
    for (const _ of ['6 reads', '12 reads']) await lookUp(key, SUBJECTS.wallet);
    expect(await outcomes(other)).toEqual(all('ok'));
    // If the record were read, it would decide.
    await record(key).update({ active: false });
    expect(await outcomes(key)).toEqual(all('rate_limited'));
    expect(logged.at(-1)).toMatchObject({
      severity: 'INFO',
      code: 'rate_limited',
      project: 'Test DAO',
      keyId: keyId(hashApiKey(key)),
    });
  });

  test.each([
    ['no field', {}, 'rate_limited'],
    ['text', { readsPerSecond: '1000' }, 'rate_limited'],
    ['an own limit', { readsPerSecond: 1_000 }, 'ok'],
  ])("is the deployment's for a record with %s", async (_, rights, code) => {
    const key = await seedKey(rights);
    const limited = open(1);
    for (const _ of ['6 reads', '12 reads']) await limited(key, SUBJECTS.wallet);
    expect(await codeOf(key, SUBJECTS.wallet, limited)).toBe(code);
  });
});
