// Tests many lookups with the clients, how they end, and the functions that read a result.

import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { CROWD, RESULT as EXAMPLE } from './responses.ts';
import { startHostileServer } from './servers.ts';

const { wallet, proposal, pendingProposal, nullifierHash } = DEMONSTRATION;

const manySchema = z.object({
  found: z.array(
    z.object({
      token: z.string(),
      done: z.int(),
      total: z.int(),
      isHuman: z.boolean().nullable(),
      code: z.string().nullable(),
    }),
  ),
  peakKiB: z.int(),
});
const RESULT = {
  ...EXAMPLE,
  attestations: [
    { attestationType: 0, contextHashHex: '00'.repeat(32), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '01'.repeat(32).toUpperCase(), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '03'.repeat(32), status: 'pending' },
    { attestationType: 2, contextHashHex: '04'.repeat(32), status: 'confirmed' },
    { attestationType: 4, contextHashHex: nullifierHash, status: 'confirmed' },
    { attestationType: 9, contextHashHex: '01'.repeat(32), status: 'new' },
  ].map((entry, index) => ({ ...EXAMPLE.attestations[0], ...entry, onChainAddress: `a${index}` })),
};
const NOT_ADDRESSES = [
  '',
  'x',
  '0OIl',
  wallet.slice(2),
  `${wallet}1`,
  '1'.repeat(33),
  '00'.repeat(32),
];
const TOKENS = Array.from({ length: 60 }, (_, index) => ({ token: `t-${index}` }));

const server = await startHostileServer();
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  let outcomes: Record<string, Outcome> = {};
  const foundIn = (title: string) => manySchema.parse(outcomes[title]?.value).found;
  const countHumans = (title: string) => foundIn(title).filter(({ isHuman }) => isHuman).length;

  beforeAll(async () => {
    const many = (
      response: string,
      subjects: readonly { token: string }[],
      atOnce: number,
    ): Job => {
      const url = server.url(response, `${name}-${response}`);
      return { action: 'many', url, key: 'a-key', subjects, atOnce };
    };
    const read = (job: Partial<Job> = {}): Job => ({
      ...{ action: 'read', result: RESULT, proposal },
      ...job,
    });
    outcomes = await run({
      many: many('crowd', [{ token: 'unknown' }, { token: 'long' }, ...TOKENS], CROWD),
      none: many('crowd', [], CROWD),
      stopping: { ...many('stopping', TOKENS.slice(0, 2), 1), timeout: 3 },
      years: many('askingForYears', TOKENS, CROWD),
      pausing: many('pausing', TOKENS.slice(0, 6), 2),
      closingIdle: many('closingIdle', TOKENS.slice(0, 20), 1),
      refused: many('unauthorized', TOKENS, 4),
      read: read(),
      support: read({ proposal: bs58.encode(Buffer.alloc(32, 4)) }),
      pending: read({ proposal: pendingProposal }),
      empty: read({ result: { ...RESULT, attestations: [] } }),
      ...Object.fromEntries(
        NOT_ADDRESSES.map((address) => [`read ${address}`, read({ proposal: address })]),
      ),
    });
  }, 120_000);

  test('looks up many subjects with the allowed concurrency, and continues after a refusal', () => {
    const found = foundIn('many');
    expect(found.map(({ done }) => done)).toEqual(found.map((_, index) => index + 1));
    expect(found).toHaveLength(62);
    expect(new Set(found.map(({ total }) => total))).toEqual(new Set([62]));
    const failed = found.filter(({ isHuman }) => isHuman === null);
    expect(failed.map(({ token, code }) => `${token}: ${code}`).sort()).toEqual([
      'long: not_the_service',
      'unknown: token_not_found',
    ]);
    expect(countHumans('many')).toBe(60);
    expect(server.maxConcurrent.get(`${name}-crowd`)).toBe(CROWD);
    expect(foundIn('none')).toEqual([]);
  });

  test('allocates no more memory than the responses need', () => {
    // Node alone needs some 100 MiB. Reading a response in one call would allocate the maximum size in Python 3.9.
    const { peakKiB } = manySchema.parse(outcomes['many']?.value);
    expect(peakKiB).toBeGreaterThan(1_000);
    expect(peakKiB).toBeLessThan(200 * 1_024);
  });

  test('sends no request twice after a time-out, also on a connection that it reuses', () => {
    expect(foundIn('stopping').map(({ isHuman }) => isHuman)).toEqual([true, null]);
    const requests = server.requests('stopping', `${name}-stopping`);
    // Fewer if an attempt times out before its request arrives.
    expect(requests.filter(({ sent }) => sent.startsWith('token=t-1')).length).toBeLessThan(5);
  });

  test('sends none of many requests before the time that the service asked one to wait for', () => {
    expect(countHumans('pausing')).toBe(6);
    const [first, , third] = server.requests('pausing', `${name}-pausing`);
    expect(Number(third?.at) - Number(first?.at)).toBeGreaterThan(1_990);
  });

  test('sends nothing more if the service asks one of many lookups to wait for years', () => {
    expect(foundIn('years').map(({ isHuman }) => isHuman)).toEqual(TOKENS.map(() => null));
    const requests = server.requests('askingForYears', `${name}-askingForYears`);
    expect(requests.length).toBeLessThanOrEqual(CROWD);
  });

  test('does not use a connection that the server has closed', () => {
    expect(countHumans('closingIdle')).toBe(20);
  });

  test('ends many lookups when the key is refused', () => {
    expect(outcomes['refused']).toMatchObject({ kind: 'refused', code: 'unauthorized' });
    expect(server.requests('unauthorized', `${name}-unauthorized`).length).toBeLessThan(20);
  });

  test('reads votes, support and the wallet mark', () => {
    const all = { votedIn: true, supports: false, walletMark: 'a0' };
    const none = { votedIn: false, supports: false };
    expect(outcomes['read']?.value).toEqual(all);
    expect(outcomes['support']?.value).toEqual({ ...all, votedIn: false, supports: true });
    expect(outcomes['pending']?.value).toEqual({ ...none, walletMark: 'a0' });
    expect(outcomes['empty']?.value).toEqual({ ...none, walletMark: null });
  });

  test.each(NOT_ADDRESSES)('refuses %j as a proposal', (address) => {
    expect(outcomes[`read ${address}`]).toMatchObject({ kind: 'invalid' });
  });
});
