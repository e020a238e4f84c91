// Tests the number and order of a lookup's reads. Each read is one call to Google.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openAccounts } from '../../functions/src/google/authentication.ts';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { openGoogleAccount } from '../../functions/src/google/serviceAccount.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import { SILENCE_MS } from '../../functions/src/timeLimits.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { forwardTo, ServiceDouble } from '../../tools/doubles/serviceDouble.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import {
  randomContextHash,
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
} from '../support/seed.ts';

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
  const { serve } = new ServiceDouble(async (call) => {
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

const UNKNOWN_TOKEN = 'a0000000-0000-4000-8000-000000000000';
const byWallet = async () => `wallet=${randomWallet()}`;
const byEmail = async (wallet = randomWallet()) => `email=${await seedAccount({ wallet })}`;
const byToken = async (wallet = randomWallet()) => `token=${await seedToken(wallet)}`;

test.each<[string, () => Promise<string>]>([
  ['wallet', byWallet],
  ['email', byEmail],
  ['token', byToken],
  ['nothing', async () => ''],
])('an unknown key costs one document read, with %s as subject', async (_, query) => {
  const { status } = await lookUp(freshEndpoint(), 'unknown', await query());
  expect(status).toBe(401);
  expect(requested()).toEqual(['apiKeys']);
});

test('an inactive key, a very long one, a path and an emoji cost one read each, no key none', async () => {
  const endpoint = freshEndpoint();
  for (const key of [await seedKey({ active: false }), 'k'.repeat(6_000), '../x', '🙂', '']) {
    expect((await lookUp(endpoint, key, await byWallet())).status).toBe(401);
    expect(requested()).toEqual(key ? ['apiKeys'] : []);
  }
});

test('unknown, revoked and expired tokens cost the same reads, a malformed or too long address none', async () => {
  const key = await seedKey();
  for (const subject of [
    `token=${UNKNOWN_TOKEN}`,
    `token=${await seedToken(randomWallet(), { revoked: true })}`,
    `token=${await seedToken(randomWallet(), { createdAt: new Date(0) })}`,
    'email=not-an-address',
    `email=${'a'.repeat(250)}@example.com`,
  ]) {
    expect((await lookUp(freshEndpoint(), key, subject)).status).toBe(404);
    const isToken = subject.startsWith('token');
    expect(requested()).toEqual(['apiKeys', ...(isToken ? ['verificationTokens'] : [])]);
  }
  const longest = `email=${'a'.repeat(242)}@example.com`;
  expect((await lookUp(freshEndpoint(), key, longest)).status).toBe(404);
  expect(requested()).toEqual(['apiKeys', 'account']);
});

test.each([
  ['wallet', async (wallet: string) => `wallet=${wallet}`, ['attestations'], []],
  ['token', byToken, ['verificationTokens'], ['attestations']],
  ['email', byEmail, ['account'], ['attestations']],
])('%s: a new key is read first, and one that was seen before concurrently', async (...row) => {
  const [, query, first, rest] = row;
  const endpoint = freshEndpoint();
  const key = await seedKey();
  const target = await query(await seedWallet({ attestationType: 0 }));
  expect((await lookUp(endpoint, key, target)).status).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
  requestsToHold = 2;
  onTestFinished(() => {
    requestsToHold = 1;
  });
  expect((await lookUp(endpoint, key, target)).status).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys', ...first].sort());
  expect(requested().sort()).toEqual(['apiKeys', ...first, ...rest].sort());
});

test('what the modes of a key forbid is never read, and what they forbade last time is not prefetched', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey({ modes: ['token'] });
  const record = db.collection('apiKeys').doc(hashApiKey(key));
  const query = await byWallet();
  for (const _ of ['new', 'seen before']) {
    expect((await lookUp(endpoint, key, query)).status).toBe(403);
    expect(requested()).toEqual(['apiKeys']);
  }
  await record.update({ modes: ['wallet'] });
  expect((await lookUp(endpoint, key, query)).status).toBe(200);
  expect(firstRoundTrip()).toEqual(['apiKeys']);
  await record.update({ modes: ['email'] });
  expect((await lookUp(endpoint, key, query)).status).toBe(403);
});

test('a key in debt costs no read', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey({ readsPerSecond: 1 });
  const attestations = Array.from({ length: 50 }, () => ({
    attestationType: 1,
    contextHashHex: randomContextHash(),
  }));
  const query = `wallet=${await seedWallet(...attestations)}`;
  expect((await lookUp(endpoint, key, query)).status).toBe(200);
  expect((await lookUp(endpoint, key, query)).status).toBe(429);
  expect(traffic).toEqual([]);
});

test('a key that was seen and then revoked is refused, and nothing more is prefetched for it', async () => {
  const endpoint = freshEndpoint();
  const key = await seedKey();
  const query = await byWallet();
  expect((await lookUp(endpoint, key, query)).status).toBe(200);
  await db.collection('apiKeys').doc(hashApiKey(key)).update({ active: false });
  expect((await lookUp(endpoint, key, query)).status).toBe(401);
  // Use another mode, because reads that were prefetched for the refused request may still be in flight.
  expect((await lookUp(endpoint, key, `token=${randomUUID()}`)).status).toBe(401);
  expect(requested()).not.toContain('verificationTokens');
});
