// Tests many lookups with the clients, and the functions that read a result.

import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { CROWD, type HostileServer, startHostileServer } from './hostileServer.ts';
import { byWallet } from './responders.ts';

const KEY = 'a-key-that-nobody-may-see';
const { wallet, proposal, pendingProposal, nullifierHash } = DEMONSTRATION;

const manySchema = z.object({
  found: z.array(
    z.object({
      subject: z.unknown(),
      done: z.int(),
      total: z.int(),
      isHuman: z.boolean().nullable(),
      code: z.string().nullable(),
    }),
  ),
  peakKiB: z.int(),
});
const RESULT = {
  ...byWallet.value,
  attestations: [
    { attestationType: 0, contextHashHex: '00'.repeat(32), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '01'.repeat(32).toUpperCase(), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '03'.repeat(32), status: 'pending' },
    { attestationType: 2, contextHashHex: '04'.repeat(32), status: 'confirmed' },
    { attestationType: 4, contextHashHex: nullifierHash, status: 'confirmed' },
    { attestationType: 9, contextHashHex: '01'.repeat(32), status: 'new' },
  ].map((entry, index) => ({
    ...byWallet.value.attestations[0],
    ...entry,
    onChainAddress: `a${index}`,
  })),
};
const READ: Job = { action: 'read', result: RESULT, proposal, hash: nullifierHash };
const NOT_ADDRESSES = [
  '',
  'x',
  '0OIl',
  wallet.slice(2),
  `${wallet}1`,
  '1'.repeat(33),
  '00'.repeat(32),
];

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  const jobs = new Map<string, Job>();
  const outcomes = new Map<string, Outcome | undefined>();
  const many = (
    responseName: string,
    subjects: readonly Record<string, string>[],
    atOnce: number,
  ): Job => ({
    action: 'many',
    url: server.url(responseName, `${name}-${responseName}`),
    key: KEY,
    subjects,
    atOnce,
  });
  const tokens = Array.from({ length: 60 }, (_, index) => ({ token: `t-${index}` }));

  beforeAll(async () => {
    jobs.set('many', many('crowd', [{ token: 'unknown' }, ...tokens], CROWD));
    jobs.set('none', many('crowd', [], CROWD));
    jobs.set('stopping', { ...many('stopping', tokens.slice(0, 2), 1), timeout: 0.4 });
    jobs.set('pausing', many('pausing', tokens.slice(0, 6), 2));
    jobs.set('closingIdle', many('closingIdle', tokens.slice(0, 20), 1));
    jobs.set('refused', many('unauthorized', tokens, 4));
    jobs.set('read', READ);
    const supported = bs58.encode(Buffer.alloc(32, 4));
    jobs.set('read support', { ...READ, proposal: supported });
    jobs.set('read pending', { ...READ, proposal: pendingProposal, hash: '07'.repeat(32) });
    jobs.set('read an empty result', { ...READ, result: { ...RESULT, attestations: [] } });
    for (const address of NOT_ADDRESSES)
      jobs.set(`read ${address}`, { ...READ, proposal: address });
    jobs.set('read no hash', { ...READ, hash: '05' });
    const found = await run([...jobs.values()]);
    [...jobs.keys()].forEach((title, index) => {
      outcomes.set(title, found[index]);
    });
  }, 120_000);

  test('looks up many subjects with the allowed concurrency, and continues after a refusal', () => {
    const { found } = manySchema.parse(outcomes.get('many')?.value);
    expect(found.map(({ done }) => done)).toEqual(found.map((_, index) => index + 1));
    expect(found).toHaveLength(61);
    expect(found.filter(({ code }) => code !== null)).toEqual([
      {
        subject: { token: 'unknown' },
        code: 'token_not_found',
        done: expect.any(Number),
        total: 61,
        isHuman: null,
      },
    ]);
    expect(found.filter(({ isHuman }) => isHuman)).toHaveLength(60);
    expect(server.maxConcurrent.get(`${name}-crowd`)).toBe(CROWD);
    expect(outcomes.get('none')).toMatchObject({ kind: 'ok', value: { found: [] } });
  });

  test('allocates no more memory than the responses need', () => {
    // Node alone needs some 100 MiB. Reading a response in one call would allocate the maximum size in Python 3.9.
    const { peakKiB } = manySchema.parse(outcomes.get('many')?.value);
    expect(peakKiB).toBeGreaterThan(1_000);
    expect(peakKiB).toBeLessThan(200 * 1_024);
  });

  test('sends no request twice after a time-out, also on a connection that it reuses', () => {
    const { found } = manySchema.parse(outcomes.get('stopping')?.value);
    expect(found.map(({ isHuman }) => isHuman)).toEqual([true, null]);
    // Fewer if an attempt times out before its request arrives.
    expect(server.times.get(`stopping ${name}-stopping`)?.length).toBeLessThanOrEqual(5);
  });

  test('sends none of many requests before the time that the service asked one to wait for', () => {
    const { found } = manySchema.parse(outcomes.get('pausing')?.value);
    expect(found.filter(({ isHuman }) => isHuman)).toHaveLength(6);
    const [first = 0, , third = 0] = server.times.get(`pausing ${name}-pausing`) ?? [];
    expect(third - first).toBeGreaterThan(1_990);
  });

  test('does not use a connection that the server has closed', () => {
    const { found } = manySchema.parse(outcomes.get('closingIdle')?.value);
    expect(found.filter(({ isHuman }) => isHuman)).toHaveLength(20);
  });

  test('ends many lookups when the key is refused', () => {
    expect(outcomes.get('refused')).toMatchObject({ kind: 'refused', code: 'unauthorized' });
    expect(server.times.get(`unauthorized ${name}-unauthorized`)?.length).toBeLessThan(20);
  });

  test('reads votes, support, poll votes and the wallet mark', () => {
    const all = { votedIn: true, supports: false, castPollVote: true, walletMark: 'a0' };
    const none = { votedIn: false, supports: false, castPollVote: false };
    expect(outcomes.get('read')?.value).toEqual(all);
    expect(outcomes.get('read support')?.value).toEqual({
      ...all,
      votedIn: false,
      supports: true,
    });
    expect(outcomes.get('read pending')?.value).toEqual({ ...none, walletMark: 'a0' });
    expect(outcomes.get('read an empty result')?.value).toEqual({ ...none, walletMark: null });
  });

  test.each([...NOT_ADDRESSES, 'no hash'])('refuses %j as a proposal or a hash', (address) => {
    expect(outcomes.get(`read ${address}`)).toMatchObject({ kind: 'invalid' });
  });
});
