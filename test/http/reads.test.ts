// What a lookup costs: the reads that it makes, in which order, and that each is one call on the wire.

import { createHash, randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoint, type LookupRequest } from '../../functions/src/lookup/endpoint.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { randomWallet, seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const { auth, db, firestore } = openEmulators();

/** In order: what was requested, and each response. */
let traffic: string[] = [];

// Node's diagnostics of its HTTP/2 streams: what is really sent to Firestore, and what comes back.
const sent = channel('http2.client.stream.bodyChunkSent');
const finished = channel('http2.client.stream.finish');
const noteSent = (message: unknown): void => {
  const { data } = message as { data: Buffer | { chunk: Buffer }[] };
  const bytes = Array.isArray(data) ? Buffer.concat(data.map(({ chunk }) => chunk)) : data;
  const collection = /apiKeys|verificationTokens|attestations/.exec(bytes.toString('latin1'))?.[0];
  if (collection) traffic.push(collection);
};
const noteResponse = (): void => {
  traffic.push('response');
};

beforeAll(() => {
  sent.subscribe(noteSent);
  finished.subscribe(noteResponse);
});

afterAll(() => {
  sent.unsubscribe(noteSent);
  finished.unsubscribe(noteResponse);
});

const accounts = {
  async getUserByEmail(email: string) {
    traffic.push('account');
    const account = await auth.getUserByEmail(email);
    traffic.push('response');
    return account;
  },
};
const lookUp = (endpoint: ReturnType<typeof createEndpoint>, apiKey: string, query: string) => {
  traffic = [];
  const request: LookupRequest = { method: 'GET', target: `/?${query}`, apiKey, requestId: 'test' };
  return endpoint(request);
};
const freshEndpoint = () =>
  createEndpoint({ firestore, auth: accounts, now: Date.now, log: () => undefined });
const requested = (): string[] => traffic.filter((entry) => entry !== 'response');
/** What was in flight before the first response. */
const firstRoundTrip = (): string[] => traffic.slice(0, traffic.indexOf('response')).sort();

const QUERIES: readonly [string, () => string | Promise<string>][] = [
  ['wallet', () => `wallet=${randomWallet()}`],
  ['email', async () => `email=${await seedAccount({ wallet: randomWallet() })}`],
  ['token', async () => `token=${await seedToken(randomWallet())}`],
  ['nothing', () => ''],
];

test.each(QUERIES)(
  'an unknown key costs one document read, with %s as subject',
  async (_, query) => {
    const { status } = await lookUp(freshEndpoint(), 'unknown', await query());
    expect(status).toBe(401);
    expect(requested()).toEqual(['apiKeys']);
  },
);

test('an inactive and an oversized key cost the same one read', async () => {
  const endpoint = freshEndpoint();
  for (const key of [await seedKey({ active: false }), 'k'.repeat(6_000), '../x', '🙂']) {
    await lookUp(endpoint, key, `wallet=${randomWallet()}`);
    expect(requested()).toEqual(['apiKeys']);
  }
});

test('a missing key costs nothing', async () => {
  await lookUp(freshEndpoint(), '', `wallet=${randomWallet()}`);
  expect(requested()).toEqual([]);
});

test('unknown, revoked and expired tokens cost the same reads', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey();
  const tokens = [
    'a0000000-0000-4000-8000-000000000000',
    await seedToken(randomWallet(), { revoked: true }),
    await seedToken(randomWallet(), { createdAt: new Date(0) }),
  ];
  for (const token of tokens) {
    const { status } = await lookUp(endpoint, key, `token=${token}`);
    expect(status).toBe(404);
    expect(requested()).toEqual(['apiKeys', 'verificationTokens']);
  }
});

const MODES = [
  ['wallet', async (wallet: string) => `wallet=${wallet}`, 'attestations', []],
  [
    'token',
    async (wallet: string) => `token=${await seedToken(wallet)}`,
    'verificationTokens',
    ['attestations'],
  ],
  [
    'email',
    async (wallet: string) => `email=${await seedAccount({ wallet })}`,
    'account',
    ['attestations'],
  ],
] as const;

test.each(MODES)('%s: a key not seen before is read before anything else', async (_, query) => {
  const { status } = await lookUp(
    freshEndpoint(),
    await seedKey(),
    await query(await seedWallet({ attestationType: 0 })),
  );
  expect(status).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
});

test.each(MODES)(
  '%s: with a key seen before, reads go side by side',
  async (_, query, first, rest) => {
    const endpoint = freshEndpoint();
    const key = await seedKey();
    const target = await query(await seedWallet({ attestationType: 0 }));
    await lookUp(endpoint, key, target);
    const { status } = await lookUp(endpoint, key, target);
    expect(status).toBe(200);
    expect(firstRoundTrip()).toEqual(['apiKeys', first].sort());
    expect(requested().sort()).toEqual(['apiKeys', first, ...rest].sort());
  },
);

test('a key that was seen and then revoked is refused, and nothing is prefetched for it any more', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey();
  const query = `wallet=${randomWallet()}`;
  expect((await lookUp(endpoint, key, query)).status).toBe(200);
  const id = createHash('sha256').update(key).digest('hex');
  await db.collection('apiKeys').doc(id).update({ active: false });
  expect((await lookUp(endpoint, key, query)).status).toBe(401);
  // Another mode, since what was prefetched for the refused request may still be in flight.
  expect((await lookUp(endpoint, key, `token=${randomUUID()}`)).status).toBe(401);
  expect(requested()).not.toContain('verificationTokens');
});
