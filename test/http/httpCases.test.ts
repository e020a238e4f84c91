// Tests each row of the contract's tables over HTTP. The rows include the requests that `smoke` sends
// to any deployment.

import { randomUUID } from 'node:crypto';
import { Timestamp } from 'firebase-admin/firestore';
import { afterAll, describe, expect, test } from 'vitest';
import { checksWith } from '../../cli/smoke/checks.ts';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { attestationRecord } from '../../contract/examples.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { EMULATED_ENDPOINT } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveFunction, underGooglesFramework } from '../../tools/sandbox/servedFunction.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { loggedEntries, type RawRequest, type RawResponse, send } from '../support/http.ts';
import {
  randomContextHash,
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
} from '../support/seed.ts';

const { auth, db } = openEmulators();

const MINUTE_MS = 60 * 1000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

const wallet = randomWallet();
/** Firestore's own times have microseconds, of which a response keeps the milliseconds. */
const FRACTIONS = [
  [0, '000'],
  [100_000_000, '100'],
  [123_456_000, '123'],
  [999_999_000, '999'],
] as const;
/** The attestations of the wallet as responses have them. Two are pending. */
const ATTESTATIONS = await Promise.all(
  [0, 1, 1, 1, 2, 2, 3, 4].map(async (attestationType, index) => {
    const status = index === 3 || index === 5 ? 'pending' : 'confirmed';
    const context = attestationType > 0 && { contextHashHex: randomContextHash() };
    const record = attestationRecord({ wallet, attestationType, status, ...context });
    const [nanoseconds, milliseconds] = FRACTIONS[index % 4] ?? FRACTIONS[0];
    const createdAt = new Timestamp(Date.UTC(2026, 8, 1 + index) / 1_000, nanoseconds);
    await db
      .collection('attestations')
      .doc(record.onChainAddress)
      .set({ ...record, createdAt });
    const { wallet: _, ...fields } = record;
    return {
      ...fields,
      syncedAt: record.syncedAt.toISOString(),
      createdAt: `2026-09-0${1 + index}T00:00:00.${milliseconds}Z`,
    };
  }),
);
const key = await seedKey();
const revokedKey = await seedKey({ active: false });
const unusableKey = `key-${randomUUID()}`;
await db.collection('apiKeys').doc(hashApiKey(unusableKey)).set({ active: 'true' });
const email = await seedAccount({ wallet });
const token = await seedToken(wallet);
const disabledEmail = await seedAccount({ wallet });
const { uid } = await auth.getUserByEmail(disabledEmail);
await auth.updateUser(uid, { disabled: true });
const taggedEmail = `tagged+twice+${randomUUID()}@example.com`;
const tagged = await auth.createUser({ email: taggedEmail });
await auth.setCustomUserClaims(tagged.uid, { wallet });

const ownToken = await seedToken(wallet, { project: 'Test DAO' });
const asciiDomain = 'xn--mnchen-3ya.example';
const spelled = `jürgen-${randomUUID()}@${asciiDomain}`;
await auth.setCustomUserClaims((await auth.createUser({ email: spelled })).uid, { wallet });

const FOUND: readonly (readonly [name: string, query: string])[] = [
  ['wallet', `?wallet=${wallet}`],
  ['wallet, with a trailing slash', `/?wallet=${wallet}`],
  ['wallet, with the function’s name in the path', `/pohAttestationsEndpoint?wallet=${wallet}`],
  ['unknown parameters', `?__proto__=1&constructor=2&wallet[]=x&wallet=${wallet}`],
  ['a question mark in the query', `?a=b?c&wallet=${wallet}`],
  ['all subjects, of which the wallet counts', `?token=c&email=b&wallet=${wallet}`],
  ['email', `?email=${encodeURIComponent(email)}`],
  ['email in capitals', `?email=${email.toUpperCase()}`],
  ['email with plus signs, not escaped', `?email=${taggedEmail}`],
  ['email and token, of which the email counts', `?token=c&email=${email}&wallet=`],
  ['token', `?token=${token}`],
  ['token of the key’s project', `?token=${ownToken}`],
  ['white space around a subject', `?token=%20${token}%0A`],
  ['email in decomposed form', `?email=${encodeURIComponent(spelled.normalize('NFD'))}`],
  [
    'email with the domain in Unicode',
    `?email=${encodeURIComponent(spelled.replace(asciiDomain, 'München.example'))}`,
  ],
  ['email with the domain in ASCII', `?email=${encodeURIComponent(spelled)}`],
  ['token in upper case', `?token=${token.toUpperCase()}`],
  [
    'token from a clock four minutes ahead',
    `?token=${await seedToken(wallet, { createdAt: fromNow(4 * MINUTE_MS) })}`,
  ],
];

interface RefusedRow {
  readonly code: ErrorCode;
  readonly name: string;
  readonly request: RawRequest;
}

const refused = (code: ErrorCode, name: string, request: RawRequest | string): RefusedRow => ({
  code,
  name,
  request: { key, ...(typeof request === 'string' ? { target: request } : request) },
});

/**
 * The requests that `smoke` sends to a deployment. HEAD has no body, and the emulator answers
 * preflights itself.
 */
const SMOKE_REQUESTS: readonly RefusedRow[] = checksWith('KEY').flatMap((check) =>
  check.expected === 'ok' || check.method === 'HEAD' || check.method === 'OPTIONS'
    ? []
    : refused(check.expected, check.name, {
        ...check,
        key: check.key === 'KEY' ? key : check.key,
      }),
);

const WITH_WALLET = `?wallet=${wallet}`;
const REFUSED: readonly RefusedRow[] = [
  ...SMOKE_REQUESTS,
  refused('missing_subject', 'the name in capitals', `?WALLET=${wallet}`),
  refused('missing_subject', 'two question marks', `??wallet=${wallet}`),
  refused('repeated_parameter', 'twice without a value', '?wallet=&wallet='),
  refused('repeated_parameter', 'one that does not count', `?wallet=${wallet}&token=b&token=c`),
  refused('repeated_parameter', 'an escaped name', `?%77allet=${wallet}&wallet=${wallet}`),
  refused('missing_subject', 'white space only', '?wallet=%20%0A&token='),
  refused(
    'email_not_found',
    'a domain that ends at a slash',
    `?email=${encodeURIComponent(spelled.replace(asciiDomain, 'münchen.example/x'))}`,
  ),
  refused('invalid_wallet', 'an emoji', `?wallet=${encodeURIComponent('🙂')}`),
  refused('invalid_wallet', 'a broken percent escape', '?wallet=%E0%A4%A'),
  refused('invalid_wallet', '6,000 characters', `?wallet=${'z'.repeat(6_000)}`),
  refused('unauthorized', 'an empty key', { key: '', target: WITH_WALLET }),
  refused('unauthorized', 'a revoked key', { key: revokedKey, target: WITH_WALLET }),
  refused('unauthorized', 'an emoji as key', { key: '🙂', target: WITH_WALLET }),
  refused('unauthorized', 'an unusable record', { key: unusableKey, target: WITH_WALLET }),
  refused('unauthorized', 'the key twice', { key: [key, key], target: WITH_WALLET }),
  refused('mode_not_allowed', 'a wallet with a key for tokens', {
    key: await seedKey({ modes: ['token'] }),
    target: WITH_WALLET,
  }),
  refused('email_not_found', 'a disabled account', `?email=${disabledEmail}`),
  refused('email_not_found', 'no wallet', `?email=${await seedAccount({ other: true })}`),
  refused('email_not_found', 'not a wallet', `?email=${await seedAccount({ wallet: 'x' })}`),
  refused('email_not_found', 'a number as wallet', `?email=${await seedAccount({ wallet: 7 })}`),
  refused('email_not_found', 'a Kelvin sign for a k', `?email=${email.replace('k', '%E2%84%AA')}`),
  refused('email_not_found', 'not an e-mail address', '?email=not-an-address'),
  refused('email_not_found', '6,000 characters', `?email=${'a'.repeat(6_000)}@example.com`),
  refused(
    'token_not_found',
    'from a clock an hour ahead',
    `?token=${await seedToken(wallet, { createdAt: fromNow(HOUR_MS) })}`,
  ),
  refused('token_not_found', 'revoked', `?token=${await seedToken(wallet, { revoked: true })}`),
  refused(
    'token_not_found',
    'expired',
    `?token=${await seedToken(wallet, { createdAt: new Date(0) })}`,
  ),
  refused('token_not_found', 'an unusable wallet', `?token=${await seedToken('not-a-wallet')}`),
  refused(
    'token_not_found',
    'of another project',
    `?token=${await seedToken(wallet, { project: 'Test DAO 2' })}`,
  ),
  refused('token_not_found', 'like a path', '?token=../../apiKeys/x'),
  refused('not_found', 'a path that the framework would answer itself', '/favicon.ico'),
  refused('not_found', "below the function's path", `/pohAttestationsEndpoint/${WITH_WALLET}`),
  refused('not_found', "the function's path in lower case", '/pohattestationsendpoint?wallet=a'),
  refused('not_found', 'two slashes', '//?wallet=a'),
  refused('not_found', 'an invalid path, without a key', { key: undefined, target: '/%E0%A4%A' }),
  refused('method_not_allowed', 'POST with a body', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"wallet":"a"}',
  }),
  refused('method_not_allowed', 'PUT with an unknown encoding, without a key', {
    method: 'PUT',
    key: undefined,
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'nonsense' },
    body: '{',
  }),
];

/** The requests above that are refused because of their subject, with keys that are not valid. */
const WITHOUT_KEY: readonly RefusedRow[] = REFUSED.filter(
  ({ code }) => !['unauthorized', 'not_found', 'method_not_allowed'].includes(code),
).flatMap(({ code, name, request }) =>
  ['unknown', revokedKey].map((other) =>
    refused('unauthorized', `checked before ${code}: ${name}`, { ...request, key: other }),
  ),
);

const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
};
const SIGNATURE_HEADERS = {
  'content-digest': expect.any(String),
  'signature-input': expect.any(String),
  signature: expect.any(String),
};
/** Node adds two. There are no others, so an error tells nothing more about a key or a token. */
function expectHeaders(endpoint: string, { headers, text }: RawResponse, more: object): void {
  const expected = { ...COMMON_HEADERS, ...more, 'content-length': `${Buffer.byteLength(text)}` };
  // The emulator adds CORS headers.
  if (endpoint === EMULATED_ENDPOINT) expect(headers).toMatchObject(expected);
  else expect(headers).toEqual({ ...expected, date: expect.any(String), connection: 'keep-alive' });
}

/** The way back, should Google Cloud no longer start our server. */
const underGoogles = await serveFunction({}, underGooglesFramework());
// The first request that Express passes on lets the function take the server over.
await send(underGoogles.url);
afterAll(() => underGoogles.stop());

/** Elsewhere, the handler is called by another server, so one refusal of each kind is enough there. */
const refusedThrough = (endpoint: string): readonly RefusedRow[] =>
  endpoint === servedUrl
    ? [...REFUSED, ...WITHOUT_KEY]
    : [...new Map(REFUSED.toReversed().map((row) => [row.code, row])).values()];

describe.each([
  ...ENDPOINTS,
  ["Google's framework, whose server was taken over with a request", underGoogles.url] as const,
])('through %s', (_, endpoint) => {
  test.each(FOUND)('200: %s', async (_name, query) => {
    const headers = { 'If-None-Match': '*', Origin: 'https://example.com' };
    const response = await send(endpoint, { key, target: query, headers });
    const showsWallet = /wallet=[^&]/.test(query);
    expect(response.status).toBe(200);
    expectHeaders(endpoint, response, SIGNATURE_HEADERS);
    const { attestations, ...rest } = response.json;
    expect(rest).toStrictEqual({
      ...(showsWallet && { wallet }),
      count: 8,
      hasVerifiedHuman: true,
      hasVoted: true,
      votedCount: 2,
      hasSupportedProposal: true,
      supportedCount: 1,
    });
    expect(attestations).toEqual(ATTESTATIONS);
    if (!showsWallet) expect(response.text).not.toContain(wallet);
  });

  test.each(refusedThrough(endpoint))('$code: $name', async ({ code, request }) => {
    const response = await send(endpoint, request);
    const { status, message, headers = {} } = ERRORS[code];
    const requestId = response.headers['x-request-id'];
    expect(response.json).toStrictEqual({ error: message, code, requestId });
    expect(response.status).toBe(status);
    const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    expectHeaders(endpoint, response, {
      ...Object.fromEntries(lowerCase),
      ...(['email_not_found', 'token_not_found'].includes(code) && SIGNATURE_HEADERS),
    });
  });

  test.each([
    ['a result', { key, target: WITH_WALLET }],
    ['a refused key', { key: 'unknown', target: WITH_WALLET }],
    ['another path', { target: '/other' }],
  ])('HEAD returns the same as GET, without a body: %s', async (_name, request) => {
    const [get, head] = await Promise.all([
      send(endpoint, request),
      send(endpoint, { ...request, method: 'HEAD' }),
    ]);
    expect([head.status, head.text]).toEqual([get.status, '']);
    // Each request has its own id and time, and so its own signature.
    const own = ['x-request-id', 'date', 'signature-input', 'signature'];
    const other = own
      .filter((name) => name in get.headers)
      .map((name) => [name, expect.any(String)]);
    expect(head.headers).toEqual({ ...get.headers, ...Object.fromEntries(other) });
  });
});

test('a server that is taken over with a request is reported once', async () => {
  const { stop, output } = underGoogles;
  await stop();
  const instance = { commit: expect.any(String), node: process.version };
  expect(loggedEntries(output()).filter(({ commit }) => commit)).toEqual([
    { severity: 'WARNING', message: expect.stringContaining('taken over'), ...instance },
  ]);
});

test('every code has a case, except those tested in rawRequests, keyRights and calls', () => {
  const covered = new Set<string>(REFUSED.map(({ code }) => code));
  expect(Object.keys(ERRORS).filter((code) => !covered.has(code))).toEqual([
    'malformed_request',
    'rate_limited',
    'internal',
  ]);
});
