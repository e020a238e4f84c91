// Tests the verification of saved responses, and of files that are not saved responses.

import { describe, expect, test } from 'vitest';
import { parseExchange } from '../../functions/src/signatures/exchange.ts';
import { publicKeySetSchema } from '../../functions/src/signatures/publicKeySet.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import { type Refusal, verifyExchange } from '../../functions/src/signatures/verify.ts';
import { readSigner } from '../../functions/src/signing/signingKey.ts';
import { pemOf, publicKeySetOf, signingKeyOf } from '../../tools/sandbox/signingKey.ts';

const NOW_SECONDS = 1_795_000_000;
const KEY = signingKeyOf('this service');
const { keys: KEYS } = publicKeySetOf(KEY);
const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const BODY = JSON.stringify({ wallet: WALLET, attestations: [], count: 0 });

function saved({ query = `wallet=${WALLET}`, key = KEY, at = NOW_SECONDS } = {}) {
  const parts = { status: 200, contentType: 'application/json', requestId: 'id' };
  const signature = createSigner(
    parseSigningKey(pemOf(key)),
    () => at * 1000,
  )({ ...parts, query, body: BODY });
  const headers = { 'Content-Type': parts.contentType, 'X-Request-Id': 'id', ...signature };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = ['HTTP/1.1 200 OK', ...fields].join('\r\n');
  return `https://poh.example/pohAttestationsEndpoint?${query}\n${head}\r\n\r\n${BODY}`;
}

/** @param keptSince seconds since the epoch */
function verdictOf(text: string, keys = KEYS, keptSince?: number) {
  const exchange = parseExchange(Buffer.from(text));
  const keptSinceMs = keptSince === undefined ? undefined : keptSince * 1000;
  const times = { nowMs: NOW_SECONDS * 1000, keptSinceMs };
  return exchange ? verifyExchange(exchange, keys, times) : undefined;
}

const GOOD = saved();
const key = KEYS[0] ?? { kty: 'OKP', crv: 'Ed25519', x: '', kid: '' };

const leakedAt = (time: number): typeof KEYS => [
  { ...key, exp: time, revoked: { revoked_at: time, reason: 'compromised' } },
];
/** Adds the head of an earlier response, as curl saves it. */
const precededBy = (head: string): string => GOOD.replace('\n', `\n${head}\r\n\r\n`);
const NEXT = NOW_SECONDS + 1;

describe('a response that is not valid', () => {
  test.each<[string, Refusal, string, typeof KEYS]>([
    ['without a signature', 'unsigned', GOOD.replace(/Signature: .*\r\n/, ''), KEYS],
    ['an error', 'unsigned', 'https://x/?a\nHTTP/1.1 401 Unauthorized\r\n\r\n{}', KEYS],
    ['with other components', 'other_signature', GOOD.replace('"@status" ', ''), KEYS],
    ['signed with another key', 'unknown_key', saved({ key: signingKeyOf('another') }), KEYS],
    ['signed after retirement', 'key_retired', GOOD, [{ ...key, exp: NOW_SECONDS - 1 }]],
    [
      'signed before its key was created',
      'key_not_yet',
      GOOD,
      [{ ...key, nbf: NOW_SECONDS + 301 }],
    ],
    ['signed in the future', 'in_the_future', saved({ at: NOW_SECONDS + 301 }), KEYS],
    ['signed when its key had already leaked', 'key_leaked', GOOD, leakedAt(NOW_SECONDS)],
    ['if two keys have its key id', 'unknown_key', GOOD, [{ ...key, exp: 0 }, key]],
    [
      'with a second signature',
      'other_signature',
      GOOD.replace('poh=:', 'poh=:AA==:, poh=:'),
      KEYS,
    ],
    ['with a second input', 'other_signature', GOOD.replace('poh=(', 'poh;a,poh=('), KEYS],
    ['after a redirect', 'unsigned', precededBy('HTTP/1.1 302 Found\r\nLocation: /'), KEYS],
    ['after an error', 'unsigned', precededBy('HTTP/1.1 404 Not Found'), KEYS],
    [
      'after another response',
      'unsigned',
      precededBy('HTTP/1.1 200 OK\r\nContent-Length: 0'),
      KEYS,
    ],
    ['with another body', 'body_changed', GOOD.replace('"count":0', '"count":1'), KEYS],
    ['with another wallet in the URL', 'query_changed', GOOD.replace(WALLET, '1'.repeat(32)), KEYS],
    ['with another parameter in the URL', 'signature_wrong', GOOD.replace('?', '?a=1&'), KEYS],
    ['with another status', 'signature_wrong', GOOD.replace('1 200', '1 201'), KEYS],
    ['with another request id', 'signature_wrong', GOOD.replace('-Id: id', '-Id: ie'), KEYS],
    ['with another time', 'signature_wrong', GOOD.replace('created=17', 'created=16'), KEYS],
  ])('%s: %s', (_, refusal, text, keys) => {
    expect(verdictOf(text, keys)).toEqual({ valid: false, refusal });
  });
});

describe('a response that is valid', () => {
  test.each([
    ['as curl saves it', GOOD, KEYS],
    ['with a method before the URL', `GET ${GOOD}`, KEYS],
    ['after an interim response', precededBy('HTTP/1.1 100 Continue'), KEYS],
    ['after early hints', precededBy('HTTP/2 103 \r\nlink: </a>; rel=preload'), KEYS],
    [
      "after a proxy's response to CONNECT",
      precededBy('HTTP/1.0 200 Connection established\r\nVia: x'),
      KEYS,
    ],
    ['signed at the time its key was created', GOOD, [{ ...key, nbf: NOW_SECONDS }]],
    [
      'signed with a key that was created with a fast clock',
      GOOD,
      [{ ...key, nbf: NOW_SECONDS + 300 }],
    ],
    ['with the line ends changed by an editor', GOOD.replaceAll('\r\n', '\n'), KEYS],
    [
      'together with a signature of a proxy',
      GOOD.replace('Signature: ', 'Signature: sig=:AA==:, '),
      KEYS,
    ],
    ['signed with a key that has been retired since', GOOD, [{ ...key, exp: NOW_SECONDS }]],
    ['for a request without a query', saved({ query: '' }), KEYS],
  ])('%s', (_, text, keys) => {
    expect(verdictOf(text, keys)).toEqual({
      valid: true,
      createdAt: new Date(NOW_SECONDS * 1000),
      keyId: key.kid,
    });
  });
});

test.each([
  ['is not valid if it was kept since the leak', NEXT, 'kept_too_late'],
  ['is not valid if it was kept since an unknown time', undefined, 'kept_too_late'],
  ['is valid if it was kept since before the leak', NOW_SECONDS, undefined],
])('a response that was signed before a leak %s', (_, keptSince, refusal) => {
  const verdict = verdictOf(GOOD, leakedAt(NEXT), keptSince);
  expect(verdict).toMatchObject(refusal ? { valid: false, refusal } : { valid: true });
});

test('a function whose clock is 5 minutes fast is tolerated', () => {
  expect(verdictOf(saved({ at: NOW_SECONDS + 300 }))).toMatchObject({ valid: true });
});

test('a set with two keys with the same id is refused', () => {
  const keys = [key, { ...key, exp: NOW_SECONDS }];
  expect(publicKeySetSchema.safeParse({ keys }).success).toBe(false);
});

describe('a function that starts with a signing key', () => {
  const env = { RESPONSE_SIGNING_KEY: pemOf(KEY) };
  const start = (keys: typeof KEYS, more: Record<string, string> = {}) =>
    readSigner({ ...env, ...more }, keys, () => NOW_SECONDS * 1000);

  test('signs with an active key of its set', () => {
    expect(start(KEYS)).toBeTypeOf('function');
  });

  test.each([
    ['is empty', []],
    ['has another key', publicKeySetOf(signingKeyOf('another')).keys],
    ['lists the key as retired', [{ ...key, exp: NOW_SECONDS }]],
    ['lists the key as leaked', leakedAt(NOW_SECONDS)],
    [
      'lists the key as leaked and not as retired',
      leakedAt(NOW_SECONDS).map(({ exp, ...leaked }) => leaked),
    ],
  ])('refuses to start if its set %s, and says so', (_, keys) => {
    expect(() => start(keys)).toThrow(`private key of ${key.kid}, which is not an active key of`);
  });

  test('signs with any key when the database is emulated', () => {
    expect(start([], { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' })).toBeTypeOf('function');
  });
});

test.each(['', 'x', 'HTTP/1.1 200 OK\r\n\r\n', 'https://x/?a\nnothing'])(
  '%j is not a saved response',
  (text) => {
    expect(verdictOf(text)).toBeUndefined();
  },
);
