// Tests the number and order of a lookup's reads. Each read is one call to Google.

import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openGoogleAccount } from '../../functions/src/google/account.ts';
import { openAccounts } from '../../functions/src/google/authentication.ts';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import { SILENCE_MS } from '../../functions/src/timeLimits.ts';
import { forwardTo, StandIn } from '../../tools/doubles/standIn.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { randomWallet, seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const { db } = openEmulators();

/** The requests and responses, in order. */
let traffic: string[] = [];
/** How many requests must have arrived before the first response is returned. */
let requestsToHold = 1;
let heldResponses: (() => void)[] = [];
/** When each read that has no response yet arrived. */
const waitingSince = new Map<string, number>();
const COLLECTION = /apiKeys|verificationTokens|attestations/;

/** Stands between the function and an emulator, and records their traffic. @returns host:port */
async function relayTo(emulator = ''): Promise<string> {
  const forward = forwardTo(`http://${emulator}`);
  const { serve } = new StandIn(async (call) => {
    const { method, body } = call;
    // A busy emulator may be silent for so long that the function repeats a read.
    const isRepeated = performance.now() - (waitingSince.get(body) ?? Infinity) > SILENCE_MS / 2;
    if (!isRepeated) {
      traffic.push(COLLECTION.exec(body)?.[0] ?? (method === 'lookup' ? 'account' : call.path));
      waitingSince.set(body, performance.now());
    }
    const reply = forward(call);
    if (requested().length < requestsToHold)
      await new Promise<void>((go) => heldResponses.push(go));
    for (const go of heldResponses) go();
    await reply;
    if (isRepeated) return reply;
    waitingSince.delete(body);
    traffic.push('response');
    return reply;
  });
  const server = createServer(serve);
  afterAll(() => server.close().closeAllConnections());
  return `127.0.0.1:${await listen(server)}`;
}

const firestoreHost = await relayTo(process.env['FIRESTORE_EMULATOR_HOST']);
const accountsHost = await relayTo(process.env['FIREBASE_AUTH_EMULATOR_HOST']);
const account = openGoogleAccount(process.env);
const freshEndpoint = () =>
  createEndpoint({
    firestore: openFirestore(account, firestoreHost),
    accounts: openAccounts(account, accountsHost),
    now: Date.now,
    log: () => undefined,
  });
const lookUp = (endpoint: ReturnType<typeof createEndpoint>, apiKey: string, query: string) => {
  traffic = [];
  heldResponses = [];
  return endpoint({ method: 'GET', target: `/?${query}`, apiKey, requestId: 'test' });
};
const requested = (): string[] => traffic.filter((entry) => entry !== 'response');
/** The requests that were in flight before the first response. */
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

test('an inactive key, a very long one, a path and an emoji cost one read each', async () => {
  const endpoint = freshEndpoint();
  for (const key of [await seedKey({ active: false }), 'k'.repeat(6_000), '../x', '🙂']) {
    await lookUp(endpoint, key, `wallet=${randomWallet()}`);
    expect(requested()).toEqual(['apiKeys']);
  }
});

test('a malformed e-mail address costs no call to Authentication', async () => {
  const { status } = await lookUp(freshEndpoint(), await seedKey(), 'email=not-an-address');
  expect(status).toBe(404);
  expect(requested()).toEqual(['apiKeys']);
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

test.each(MODES)('%s: a key that was not seen before is read first', async (_, query) => {
  const { status } = await lookUp(
    freshEndpoint(),
    await seedKey(),
    await query(await seedWallet({ attestationType: 0 })),
  );
  expect(status).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
});

test.each(MODES)(
  '%s: with a key that was seen before, reads are concurrent',
  async (_, query, first, rest) => {
    const endpoint = freshEndpoint();
    const key = await seedKey();
    const target = await query(await seedWallet({ attestationType: 0 }));
    await lookUp(endpoint, key, target);
    requestsToHold = 2;
    onTestFinished(() => {
      requestsToHold = 1;
    });
    const { status } = await lookUp(endpoint, key, target);
    expect(status).toBe(200);
    expect(firstRoundTrip()).toEqual(['apiKeys', first].sort());
    expect(requested().sort()).toEqual(['apiKeys', first, ...rest].sort());
  },
);

test('a key that was seen and then revoked is refused, and nothing more is prefetched for it', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey();
  const query = `wallet=${randomWallet()}`;
  expect((await lookUp(endpoint, key, query)).status).toBe(200);
  const id = createHash('sha256').update(key).digest('hex');
  await db.collection('apiKeys').doc(id).update({ active: false });
  expect((await lookUp(endpoint, key, query)).status).toBe(401);
  // Use another mode, because reads that were prefetched for the refused request may still be in flight.
  expect((await lookUp(endpoint, key, `token=${randomUUID()}`)).status).toBe(401);
  expect(requested()).not.toContain('verificationTokens');
});
