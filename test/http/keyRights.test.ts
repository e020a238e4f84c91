// Tests what a key may do: on the built function, and its budget in a time that the tests move.

import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MODES, type Mode } from '../../contract/endpoint.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { INVALID_RIGHTS, VALID_RIGHTS } from '../records/rights.ts';
import { openEndpoint, servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import {
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
  votes,
} from '../support/seed.ts';

const { db } = openEmulators();

const wallet = await seedWallet(...votes(5));
const SUBJECTS: Readonly<Record<Mode, string>> = {
  wallet: `wallet=${wallet}`,
  email: `email=${await seedAccount({ wallet })}`,
  token: `token=${await seedToken(wallet)}`,
};
const record = (key: string) => db.collection('apiKeys').doc(hashApiKey(key));

const lookUp = (key: string, query: string) => send(servedUrl, { key, target: `?${query}` });
/** @returns the code of the response, or `ok` */
const codeOf = async (key: string, query: string): Promise<string> =>
  (await lookUp(key, query)).json.code ?? 'ok';
/** @returns the code in each mode */
const outcomes = (key: string) => Promise.all(MODES.map((mode) => codeOf(key, SUBJECTS[mode])));
const all = (code: string) => MODES.map(() => code);
const allowed = (modes: readonly Mode[] = MODES) =>
  MODES.map((mode) => (modes.includes(mode) ? 'ok' : 'mode_not_allowed'));

const WITH_INVALID = {
  modes: allowed([]),
  expiresAt: all('unauthorized'),
  readsPerSecond: allowed(),
};
const ROWS: readonly (readonly [string, object, string[]])[] = [
  ...VALID_RIGHTS.map(([title, rights]) => [title, rights, allowed(rights.modes)] as const),
  ['an end that has passed', { expiresAt: new Date() }, all('unauthorized')],
  ...INVALID_RIGHTS.map(
    ([name, value]) =>
      [`${inspect(value)} as ${name}`, { [name]: value }, WITH_INVALID[name]] as const,
  ),
];

test.each(ROWS)(
  'a key with %s, new, changed while in use, and seen before',
  async (_, rights, expected) => {
    const key = await seedKey({ ...rights });
    expect(await outcomes(key)).toEqual(expected);
    await record(key).set({ active: true });
    expect(await outcomes(key)).toEqual(allowed());
    await record(key).set({ active: true, ...rights });
    expect(await outcomes(key)).toEqual(expected);
    expect(await outcomes(key)).toEqual(expected);
  },
);

test('every response to a key that has an end says when it ends', async () => {
  const expiresAt = new Date(Date.UTC(2100, 0, 2, 3, 4, 5, 678));
  const key = await seedKey({ expiresAt, modes: ['wallet', 'token'] });
  const queries = [SUBJECTS.wallet, SUBJECTS.email, `token=${randomUUID()}`, 'wallet=0', ''];
  for (const query of queries) {
    const { headers } = await lookUp(key, query);
    expect(headers['x-poh-key-ends'], query).toBe('2100-01-02T03:04:05Z');
  }
  for (const apiKey of [await seedKey(), await seedKey({ active: false, expiresAt })]) {
    expect((await lookUp(apiKey, SUBJECTS.wallet)).headers).not.toHaveProperty('x-poh-key-ends');
  }
});

test('an end also comes by itself, while the key is in use', async () => {
  const key = await seedKey();
  expect(await outcomes(key)).toEqual(allowed());
  await record(key).update({ expiresAt: new Date(Date.now() + 500) });
  await expect.poll(() => outcomes(key)).toEqual(all('unauthorized'));
});

describe('of several faults of a request, the first in the order of the errors counts', async () => {
  const [debtor, revoked] = [
    await seedKey({ modes: ['token'], readsPerSecond: 1 }),
    await seedKey({ modes: ['token'], readsPerSecond: 1 }),
  ];
  const long = `token=${await seedToken(await seedWallet(...votes(70)))}`;
  for (const key of [debtor, revoked]) await lookUp(key, long);
  await record(revoked).update({ active: false });
  // A row without a key has one that allows only tokens.
  const rows: [codes: ErrorCode[], request: { target: string; key?: string; method?: string }][] = [
    [['method_not_allowed', 'not_found'], { method: 'POST', target: '/other' }],
    [['not_found', 'unauthorized'], { key: revoked, target: '/other' }],
    [['unauthorized', 'rate_limited'], { key: revoked, target: `?${long}` }],
    [['unauthorized', 'invalid_wallet'], { key: revoked, target: '?wallet=0' }],
    [['rate_limited', 'missing_subject'], { key: debtor, target: '' }],
    [['rate_limited', 'repeated_parameter'], { key: debtor, target: '?token=a&token=b' }],
    [['rate_limited', 'mode_not_allowed'], { key: debtor, target: '?wallet=0' }],
    [['rate_limited', 'token_not_found'], { key: debtor, target: '?token=0' }],
    [['missing_subject'], { target: '' }],
    [['missing_subject', 'mode_not_allowed'], { target: '?wallet=' }],
    [['repeated_parameter', 'mode_not_allowed'], { target: '?wallet=a&wallet=b' }],
    [['mode_not_allowed', 'invalid_wallet'], { target: '?wallet=not-a-wallet' }],
    [['mode_not_allowed', 'email_not_found'], { target: '?email=nobody@example.com' }],
    [['mode_not_allowed', 'token_not_found'], { target: `?wallet=${wallet}&token=a` }],
  ];

  test.each(rows)('%j: $target', async (codes, { key, ...request }) => {
    const first = ERROR_CODES.find((code) => codes.includes(code));
    const used = key ?? (await seedKey({ modes: ['token'] }));
    const code = async () => (await send(servedUrl, { key: used, ...request })).json.code;
    expect(await code()).toBe(first);
    await lookUp(used, SUBJECTS.token);
    expect(await code(), 'of a key that was seen before').toBe(first);
  });

  test('each code has its place', () => {
    const placed = rows.flatMap(([codes]) => codes);
    const others = ERROR_CODES.filter((code) => !placed.includes(code));
    expect(others).toEqual(['malformed_request', 'internal']);
  });
});

test('a key in debt costs one read, others are not affected, and what its record says counts at once', async () => {
  const [key, other] = [await seedKey({ readsPerSecond: 1 }), await seedKey({ readsPerSecond: 5 })];
  const long = `wallet=${await seedWallet(...votes(70))}`;
  const inDebt = async () => {
    const { status, headers } = await lookUp(key, long);
    return status === 429 && Number(headers['retry-after']) <= 60;
  };
  expect(await codeOf(key, long)).toBe('ok');
  expect(await inDebt(), 'a 429 for at most a minute').toBe(true);
  expect(await outcomes(other)).toEqual(allowed());
  await expect.poll(() => codeOf(other, long)).toBe('rate_limited');
  await expect.poll(() => codeOf(other, long)).toBe('ok');

  const { active, ...rest } = (await record(key).get()).data() ?? {};
  await record(key).update({ active: false });
  expect(await outcomes(key)).toEqual(all('unauthorized'));
  await record(key).update({ active, expiresAt: new Date() });
  expect(await outcomes(key)).toEqual(all('unauthorized'));
  await record(key).delete();
  expect(await outcomes(key)).toEqual(all('unauthorized'));
  await record(key).set({ active, ...rest });
  expect(await inDebt(), 'a 429 for at most a minute').toBe(true);
  await record(key).update({ readsPerSecond: 1_000_000 });
  expect(await outcomes(key)).toEqual(allowed());
});

describe('the budget', () => {
  // Budgets grow in the time of `performance`, which stands still unless a test moves it.
  beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterAll(() => vi.useRealTimers());

  const logged: LogLine[] = [];
  const lookUp = openEndpoint(() => ({ log: (line) => logged.push(line) }));
  const isLimited = async (key: string, query: string): Promise<boolean> =>
    (await lookUp(key, query)).status === 429;

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
    for (; left > 0; left -= reads) expect(await isLimited(key, query), 'limited').toBe(false);
    const seconds = Math.floor(-left / 2) + 1;
    const { status, headers } = await lookUp(key, query);
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'Retry-After': `${seconds}` });
    expect(logged.at(-1)).toMatchObject({
      ...{ severity: 'INFO', code: 'rate_limited', project: 'Test DAO' },
      keyId: keyId(hashApiKey(key)),
    });
    // A refused lookup does not raise the debt.
    vi.advanceTimersByTime((-left / 2) * 1_000);
    expect(await isLimited(key, query), 'limited').toBe(true);
    vi.advanceTimersByTime((seconds + left / 2) * 1_000);
    expect(await isLimited(key, query), 'limited').toBe(false);
  });

  test('bounds a burst, and a debt to a minute', async () => {
    const key = await seedKey({ readsPerSecond: 10 });
    const long = `wallet=${await seedWallet(...votes(120))}`;
    for (const _ of ['new', 'seen before']) {
      const burst = await Promise.all(Array.from({ length: 120 }, () => isLimited(key, long)));
      const admitted = burst.filter((limited) => !limited).length;
      expect(admitted, 'admitted lookups of 120').toBeGreaterThan(0);
      expect(admitted, 'admitted lookups of 120').toBeLessThanOrEqual(40);
      expect(await isLimited(key, long)).toBe(true);
      vi.advanceTimersByTime(60_001);
      expect(await isLimited(key, '')).toBe(false);
      vi.advanceTimersByTime(10_000);
    }
    const slow = await seedKey({ readsPerSecond: 1 });
    expect(await isLimited(slow, long)).toBe(false);
    expect(await lookUp(slow, long)).toMatchObject({ headers: { 'Retry-After': '60' } });
    vi.advanceTimersByTime(60_001);
    expect(await isLimited(slow, '')).toBe(false);
  });

  test('reserves what the latest lookup has cost, however much another one did before', async () => {
    const key = await seedKey({ readsPerSecond: 10 });
    await lookUp(key, `wallet=${await seedWallet(...votes(60))}`);
    await lookUp(key, SUBJECTS.wallet);
    vi.advanceTimersByTime(10_000);
    const burst = Array.from({ length: 10 }, () => isLimited(key, SUBJECTS.wallet));
    expect((await Promise.all(burst)).filter(Boolean), 'limited lookups').toEqual([]);
  });

  test('is charged what Firestore bills for a prefetch whose key is refused, or cannot be read', async () => {
    const wide = `wallet=${await seedWallet(...votes(60))}`;
    for (const refuse of ['revoke', 'fail'] as const) {
      let isBroken = false;
      const lookUp = openEndpoint(({ firestore }) => ({
        firestore: {
          ...firestore,
          readDocument: async (path, reading) => {
            const stored = await firestore.readDocument(path, reading);
            if (isBroken) throw new Error('broken');
            return stored;
          },
        },
      }));
      const key = await seedKey({ readsPerSecond: 10 });
      expect((await lookUp(key, wide)).status).toBe(200);
      isBroken = refuse === 'fail';
      if (refuse === 'revoke') await record(key).update({ active: false });
      expect((await lookUp(key, wide)).status).toBe(isBroken ? 500 : 401);
      isBroken = false;
      await record(key).update({ active: true });
      expect((await lookUp(key, wide)).status).toBe(429);
    }
  });

  test('is that of the record as it was last read, of which no more than 10 seconds are saved', async () => {
    const key = await seedKey();
    await lookUp(key, '');
    await record(key).update({ readsPerSecond: 1 });
    for (const _ of ['from the former budget', 'after an hour']) {
      for (const expected of [false, false, true]) {
        expect(await isLimited(key, SUBJECTS.wallet), 'limited').toBe(expected);
      }
      vi.advanceTimersByTime(3_600_000);
    }
  });
});
