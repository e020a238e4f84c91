// Tests the number and order of a lookup's reads. test/failures/calls.test.ts tests that each is one call to Google.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { openEndpoint } from '../support/endpoints.ts';
import { randomWallet, seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const { db } = openEmulators();

/** The collections that a lookup reads, or `account`, and its responses, in order. */
let traffic: string[] = [];
async function recorded<T>(what: string, read: Promise<T>): Promise<T> {
  traffic.push(what);
  const result = await read;
  traffic.push('response');
  return result;
}
const requested = (): string[] => traffic.filter((entry) => entry !== 'response');
/** The reads that began before the first response. */
const firstRoundTrip = (): string[] => traffic.slice(0, traffic.indexOf('response')).sort();

function freshEndpoint() {
  const endpoint = openEndpoint(({ firestore, accounts }) => ({
    firestore: {
      readDocument: (path, reading) =>
        recorded(path.split('/')[0] ?? '', firestore.readDocument(path, reading)),
      queryDocuments: (query, read, reading) =>
        recorded(query.collection, firestore.queryDocuments(query, read, reading)),
    },
    accounts: {
      findByEmail: (email, signal) => recorded('account', accounts.findByEmail(email, signal)),
    },
  }));
  return async (apiKey: string, query: string): Promise<number> => {
    traffic = [];
    return (await endpoint(apiKey, query)).status;
  };
}

const byWallet = async (wallet = randomWallet()) => `wallet=${wallet}`;
const byEmail = async (wallet = randomWallet()) => `email=${await seedAccount({ wallet })}`;
const byToken = async (wallet = randomWallet()) => `token=${await seedToken(wallet)}`;

test.each<[string, () => Promise<string>]>([
  ['wallet', byWallet],
  ['email', byEmail],
  ['token', byToken],
  ['nothing', async () => ''],
])('an unknown key costs one document read, with %s as subject', async (_, query) => {
  expect(await freshEndpoint()('unknown', await query())).toBe(401);
  expect(requested()).toEqual(['apiKeys']);
});

test('an inactive key, a very long one, a path and an emoji cost one read each, no key none', async () => {
  const lookUp = freshEndpoint();
  for (const key of [await seedKey({ active: false }), 'k'.repeat(6_000), '../x', '🙂', '']) {
    expect(await lookUp(key, await byWallet())).toBe(401);
    expect(requested()).toEqual(key ? ['apiKeys'] : []);
  }
});

test('unknown, revoked and expired tokens and those of another project cost the same reads, a malformed or too long address none', async () => {
  const key = await seedKey();
  for (const [subject, ...more] of [
    [`token=${randomUUID()}`, 'verificationTokens'],
    [`token=${await seedToken(randomWallet(), { revoked: true })}`, 'verificationTokens'],
    [`token=${await seedToken(randomWallet(), { createdAt: new Date(0) })}`, 'verificationTokens'],
    [`token=${await seedToken(randomWallet(), { project: 'Other' })}`, 'verificationTokens'],
    ['email=not-an-address'],
    [`email=${'a'.repeat(250)}@example.com`],
    [`email=${'a'.repeat(242)}@example.com`, 'account'],
  ] as const) {
    expect(await freshEndpoint()(key, subject)).toBe(404);
    expect(requested()).toEqual(['apiKeys', ...more]);
  }
});

test.each([
  ['wallet', byWallet, ['attestations'], []],
  ['token', byToken, ['verificationTokens'], ['attestations']],
  ['email', byEmail, ['account'], ['attestations']],
])('%s: a new key is read first, and one that was seen before concurrently', async (...row) => {
  const [, query, first, rest] = row;
  const lookUp = freshEndpoint();
  const key = await seedKey();
  const target = await query(await seedWallet({ attestationType: 0 }));
  expect(await lookUp(key, target)).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
  expect(await lookUp(key, target)).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys', ...first].sort());
  expect(requested().sort()).toEqual(['apiKeys', ...first, ...rest].sort());
});

test('what the modes of a key forbid is never read, and what they forbade last time is not prefetched', async () => {
  const lookUp = freshEndpoint();
  const key = await seedKey({ modes: ['token'] });
  const record = db.collection('apiKeys').doc(hashApiKey(key));
  const query = await byWallet();
  for (const _ of ['new', 'seen before']) {
    expect(await lookUp(key, query)).toBe(403);
    expect(requested()).toEqual(['apiKeys']);
  }
  await record.update({ modes: ['wallet'] });
  expect(await lookUp(key, query)).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
  await record.update({ modes: ['email'] });
  expect(await lookUp(key, query)).toBe(403);
});

test('what was prefetched for the former project of a key is not returned', async () => {
  const lookUp = freshEndpoint();
  const key = await seedKey();
  const query = `token=${await seedToken(randomWallet(), { project: 'Test DAO' })}`;
  expect(await lookUp(key, query)).toBe(200);
  await db.collection('apiKeys').doc(hashApiKey(key)).update({ project: 'Other' });
  expect(await lookUp(key, query)).toBe(404);
});

test('a key that was seen and then revoked is refused, and nothing more is prefetched for it', async () => {
  const lookUp = freshEndpoint();
  const key = await seedKey();
  const query = await byWallet();
  expect(await lookUp(key, query)).toBe(200);
  await db.collection('apiKeys').doc(hashApiKey(key)).update({ active: false });
  expect(await lookUp(key, query)).toBe(401);
  expect(await lookUp(key, query)).toBe(401);
  expect(requested()).toEqual(['apiKeys']);
});
