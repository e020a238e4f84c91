// Tests each row of the contract's tables over HTTP. The rows include the requests that `smoke` sends
// to any deployment.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { checksWith } from '../../admin/smoke/checks.ts';
import { ERRORS, type ErrorCode } from '../../functions/src/errors.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { type RawRequest, send } from '../support/http.ts';
import {
  randomContextHash,
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
} from '../support/seed.ts';

const { auth } = openEmulators();

const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

let key: string;
let revokedKey: string;
let wallet: string;
let email: string;
let token: string;

beforeAll(async () => {
  wallet = await seedWallet(
    { attestationType: 0 },
    { attestationType: 1, contextHashHex: randomContextHash() },
    { attestationType: 1, contextHashHex: randomContextHash() },
    { attestationType: 1, contextHashHex: randomContextHash(), status: 'pending' },
    { attestationType: 2, contextHashHex: randomContextHash() },
    { attestationType: 2, contextHashHex: randomContextHash(), status: 'pending' },
    { attestationType: 3, contextHashHex: randomContextHash() },
    { attestationType: 4, contextHashHex: randomContextHash() },
  );
  [key, revokedKey, email, token] = await Promise.all([
    seedKey(),
    seedKey({ active: false }),
    seedAccount({ wallet }),
    seedToken(wallet),
  ]);
});

interface FoundRow {
  readonly name: string;
  readonly request: () => RawRequest | Promise<RawRequest>;
  readonly showsWallet: boolean;
}

const found = (
  name: string,
  target: () => string | Promise<string>,
  { showsWallet = false, ...request }: Partial<FoundRow> & RawRequest = {},
): FoundRow => ({
  name,
  showsWallet,
  request: async () => ({ key, ...request, target: await target() }),
});

const FOUND: readonly FoundRow[] = [
  found('wallet', () => `?wallet=${wallet}`, { showsWallet: true }),
  found('wallet, with a trailing slash', () => `/?wallet=${wallet}`, { showsWallet: true }),
  found(
    'wallet, with the function’s name in the path',
    () => `/pohAttestationsEndpoint?wallet=${wallet}`,
    { showsWallet: true },
  ),
  found('unknown parameters are ignored', () => `?__proto__=1&constructor=2&wallet=${wallet}`, {
    showsWallet: true,
  }),
  found('wallet before email and token', () => `?token=x&email=y&wallet=${wallet}`, {
    showsWallet: true,
  }),
  found('email before token', () => `?token=x&email=${email}`),
  found('email', () => `?email=${encodeURIComponent(email)}`),
  found('email with a plus, not escaped', async () => {
    const tagged = `tagged+${randomUUID()}@example.com`;
    const { uid } = await auth.createUser({ email: tagged });
    await auth.setCustomUserClaims(uid, { wallet });
    return `?email=${tagged}`;
  }),
  found('token', () => `?token=${token}`),
  found('token in upper case', () => `?token=${token.toUpperCase()}`),
  found('token one hour before it expires', async () => {
    const old = await seedToken(wallet, { createdAt: fromNow(-23 * HOUR_MS) });
    return `?token=${old}`;
  }),
  found('token from a clock four minutes ahead', async () => {
    const early = await seedToken(wallet, { createdAt: fromNow(4 * MINUTE_MS) });
    return `?token=${early}`;
  }),
];

interface RefusedRow {
  readonly name: string;
  readonly code: ErrorCode;
  readonly request: () => RawRequest | Promise<RawRequest>;
}

const refused = (
  code: ErrorCode,
  name: string,
  request: () => RawRequest | Promise<RawRequest>,
): RefusedRow => ({ code, name, request: async () => ({ key, ...(await request()) }) });

const target = (text: string) => (): RawRequest => ({ target: text });

/**
 * The requests that `smoke` sends to a deployment. HEAD has no body, and the emulator answers
 * preflights itself.
 */
const SMOKE_REQUESTS: readonly RefusedRow[] = checksWith('KEY').flatMap((check) =>
  check.expected === 'ok' || check.method === 'HEAD' || check.method === 'OPTIONS'
    ? []
    : refused(check.expected, check.name, () => ({
        ...check,
        key: check.key === 'KEY' ? key : check.key,
      })),
);

const REFUSED: readonly RefusedRow[] = [
  ...SMOKE_REQUESTS,
  refused('missing_subject', 'no query', target('')),
  refused('repeated_parameter', 'a repeated token after a valid wallet', () => ({
    target: `?wallet=${wallet}&token=a&token=b`,
  })),
  refused('invalid_wallet', '33 bytes', target(`?wallet=${'1'.repeat(33)}`)),
  refused('invalid_wallet', 'an emoji', target(`?wallet=${encodeURIComponent('🙂')}`)),
  refused('invalid_wallet', 'a broken percent escape', target('?wallet=%E0%A4%A')),
  refused('invalid_wallet', 'a null byte', target('?wallet=%00')),
  refused('invalid_wallet', '6,000 characters', target(`?wallet=${'z'.repeat(6_000)}`)),
  refused('invalid_wallet', 'an invalid wallet with a valid token', () => ({
    target: `?wallet=bad&token=${token}`,
  })),
  refused('unauthorized', 'an empty key', () => ({ key: '', target: `?wallet=${wallet}` })),
  refused('unauthorized', 'a revoked key', () => ({
    key: revokedKey,
    target: `?wallet=${wallet}`,
  })),
  refused('unauthorized', 'the key twice', () => ({
    key: [key, key],
    target: `?wallet=${wallet}`,
  })),
  refused('unauthorized', 'a key of 6,000 characters', () => ({
    key: 'k'.repeat(6_000),
    target: `?wallet=${wallet}`,
  })),
  refused('unauthorized', 'checked before a missing subject', () => ({ key: 'unknown' })),
  refused('unauthorized', 'checked before an invalid wallet', () => ({
    key: revokedKey,
    target: '?wallet=0OIl',
  })),
  refused('unauthorized', 'checked before an unknown token', () => ({
    key: 'unknown',
    target: `?token=${randomUUID()}`,
  })),
  refused('email_not_found', 'a disabled account', async () => {
    const disabled = await seedAccount({ wallet });
    const { uid } = await auth.getUserByEmail(disabled);
    await auth.updateUser(uid, { disabled: true });
    return { target: `?email=${disabled}` };
  }),
  refused('email_not_found', 'no wallet on the account', async () => ({
    target: `?email=${await seedAccount({ other: true })}`,
  })),
  refused('email_not_found', 'an unusable wallet on the account', async () => ({
    target: `?email=${await seedAccount({ wallet: 'not-a-wallet' })}`,
  })),
  refused('email_not_found', 'a wallet that is not a string', async () => ({
    target: `?email=${await seedAccount({ wallet: 7 })}`,
  })),
  refused('email_not_found', 'not an e-mail address', target('?email=not-an-address')),
  refused('email_not_found', '6,000 characters', target(`?email=${'a'.repeat(6_000)}@example.com`)),
  refused('token_not_found', 'revoked', async () => ({
    target: `?token=${await seedToken(wallet, { revoked: true })}`,
  })),
  refused('token_not_found', 'expired', async () => ({
    target: `?token=${await seedToken(wallet, { createdAt: fromNow(-25 * HOUR_MS) })}`,
  })),
  refused('token_not_found', 'from a clock an hour ahead', async () => ({
    target: `?token=${await seedToken(wallet, { createdAt: fromNow(HOUR_MS) })}`,
  })),
  refused('token_not_found', 'a valid token with an unusable wallet', async () => ({
    target: `?token=${await seedToken('not-a-wallet')}`,
  })),
  refused('token_not_found', 'malformed', target('?token=not-a-uuid')),
  refused('token_not_found', 'like a path', target('?token=../../apiKeys/x')),
  refused('token_not_found', 'like a reserved id', target('?token=__all__')),
  refused('not_found', 'a path that the framework would answer itself', target('/favicon.ico')),
  refused('not_found', "a path below the function's path", () => ({
    target: `/pohAttestationsEndpoint/x?wallet=${wallet}`,
  })),
  refused('not_found', 'the retired gateway', target('/api/v1/poh/status/abc')),
  refused('not_found', 'a path that is not valid, without a key', () => ({
    key: undefined,
    target: '/%E0%A4%A',
  })),
  refused('method_not_allowed', 'POST with a body', () => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"wallet":"a"}',
  })),
  refused('method_not_allowed', 'PUT with an unknown encoding, without a key', () => ({
    method: 'PUT',
    key: undefined,
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'nonsense' },
    body: '{',
  })),
  refused('method_not_allowed', 'PATCH of another path', () => ({ method: 'PATCH', target: '/x' })),
];

/** The Functions emulator runs the handler behind Express, so one refusal of each kind is enough there. */
const refusedThrough = (endpoint: string): readonly RefusedRow[] =>
  endpoint === servedUrl
    ? REFUSED
    : [...new Map(REFUSED.toReversed().map((row) => [row.code, row])).values()];

describe.each(ENDPOINTS)('through %s', (_, endpoint) => {
  test.each(FOUND)('200: $name', async ({ request, showsWallet }) => {
    const response = await send(endpoint, await request());
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
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
    expect(attestations).toHaveLength(8);
    expect(showsWallet || !response.text.includes(wallet)).toBe(true);
  });

  test.each(refusedThrough(endpoint))('$code: $name', async ({ code, request }) => {
    const response = await send(endpoint, await request());
    const { status, message, headers = {} } = ERRORS[code];
    expect(response.json).toStrictEqual({
      error: message,
      code,
      requestId: response.headers['x-request-id'],
    });
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
    });
    for (const [name, value] of Object.entries(headers)) {
      expect(response.headers[name.toLowerCase()]).toBe(value);
    }
  });

  test('HEAD returns the same as GET, without a body', async () => {
    const [get, head] = await Promise.all([
      send(endpoint, { key, target: `?wallet=${wallet}` }),
      send(endpoint, { key, target: `?wallet=${wallet}`, method: 'HEAD' }),
    ]);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const refusal = await send(endpoint, { key: 'unknown', method: 'HEAD' });
    expect(refusal.status).toBe(401);
    expect(refusal.text).toBe('');
  });

  test('a wallet without attestations gets 200 with an empty list', async () => {
    const unknown = randomWallet();
    const response = await send(endpoint, { key, target: `?wallet=${unknown}` });
    expect(response.status).toBe(200);
    expect(response.json).toStrictEqual({
      wallet: unknown,
      attestations: [],
      count: 0,
      hasVerifiedHuman: false,
      hasVoted: false,
      votedCount: 0,
      hasSupportedProposal: false,
      supportedCount: 0,
    });
  });

  test('no response becomes a 304', async () => {
    const request = { key, target: `?wallet=${wallet}`, headers: { 'If-None-Match': '*' } };
    const response = await send(endpoint, request);
    expect(response.status).toBe(200);
    expect(response.headers.etag).toBeUndefined();
  });
});

test('every code has a case, except those tested in rawRequests and calls', () => {
  const covered = new Set<string>(REFUSED.map(({ code }) => code));
  expect(Object.keys(ERRORS).filter((code) => !covered.has(code))).toEqual([
    'malformed_request',
    'internal',
  ]);
});

test('as in production, no CORS header is sent', async () => {
  const response = await send(servedUrl, {
    key,
    target: `?wallet=${wallet}`,
    headers: { Origin: 'https://example.com' },
  });
  expect(Object.keys(response.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
});
