// Tests the verification of saved responses, and with which keys the function signs. The reasons for which evidence
// is refused are in test/clients/evidence.unit.test.ts.

import { describe, expect, test } from 'vitest';
import { readVerifyingKeys } from '../../admin/signing/publicKeySet.ts';
import { parseSavedResponse, verifySavedResponse } from '../../admin/signing/savedResponse.ts';
import { InvalidEvidence } from '../../clients/typescript/evidence.ts';
import { publicKeySetSchema } from '../../functions/src/signatures/publicKeySet.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import { readSigner } from '../../functions/src/signingKey.ts';
import { pemOf, publicKeySetOf, signingKeyOf } from '../../tools/sandbox/signingKey.ts';

const NOW_SECONDS = 1_795_000_000;
const KEY = signingKeyOf('this service');
const { keys: KEYS } = publicKeySetOf(KEY);
const key = KEYS[0] ?? { kty: 'OKP', crv: 'Ed25519', x: '', kid: '' };
const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const BODY = JSON.stringify({ wallet: WALLET, attestations: [], count: 0 });
const SIGNED = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  requestId: 'id',
  query: `wallet=${WALLET}`,
  body: BODY,
};

function saved(changes: Partial<typeof SIGNED> = {}): string {
  const parts = { ...SIGNED, ...changes };
  const sign = createSigner(parseSigningKey(pemOf(KEY)), () => NOW_SECONDS * 1000);
  const headers = { 'Content-Type': parts.contentType, 'X-Request-Id': 'id', ...sign(parts) };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${parts.status} OK`, ...fields].join('\r\n');
  return `https://poh.example/pohAttestationsEndpoint?${parts.query}\n${head}\r\n\r\n${BODY}`;
}

const GOOD = saved();
const EVIDENCE = parseSavedResponse(GOOD)?.evidence;

function verdictOf(text: string): Date | string {
  const response = parseSavedResponse(text);
  try {
    return response ? verifySavedResponse(response, KEYS) : 'not a saved response';
  } catch (error) {
    if (error instanceof InvalidEvidence) return error.reason;
    throw error;
  }
}

const leakedAt = (time: number): typeof KEYS => [
  { ...key, exp: time, revoked: { revoked_at: time, reason: 'compromised' } },
];
/** Adds the head of an earlier response, as curl saves it. */
const precededBy = (head: string): string => GOOD.replace('\n', `\n${head}\r\n\r\n`);

test.each([
  ['as curl saves it', GOOD],
  ['with a method before the URL', `GET ${GOOD}`],
  ['after an interim response', precededBy('HTTP/1.1 100 Continue')],
  ['after early hints', precededBy('HTTP/2 103 \r\nlink: </a>; rel=preload')],
  ["after a proxy's response", precededBy('HTTP/1.0 200 Connection established\r\nVia: x')],
  ["after a proxy's other response", precededBy('HTTP/1.1 299 Tunnel')],
  ['with the line ends changed by an editor', GOOD.replaceAll('\r\n', '\n')],
  ["together with a proxy's signature", GOOD.replace('Signature: ', 'Signature: sig=:AA==:, ')],
  [
    'with two Signature fields',
    GOOD.replace('Signature: ', 'signature: sig=:AA==:\r\nSignature: '),
  ],
  ['for a request without a query', saved({ query: '' })],
  ['for a query with "#"', saved({ query: 'wallet=W&a=#x' })],
  ['as a client stores it', JSON.stringify(EVIDENCE)],
  ['as a client stores it, with the keys', `\n${JSON.stringify({ evidence: EVIDENCE, keys: [] })}`],
])('a response is valid %s', (_, text) => {
  expect(verdictOf(text)).toEqual(new Date(NOW_SECONDS * 1000));
});

test.each([
  ['malformed', 'without a signature', GOOD.replace(/Signature: .*\r\n/, '')],
  ['malformed', 'that is an error', 'https://x/?a\nHTTP/1.1 401 Unauthorized\r\n\r\n{}'],
  ['malformed', 'after a redirect', precededBy('HTTP/1.1 302 Found\r\nLocation: /')],
  ['malformed', 'after an error', precededBy('HTTP/1.1 404 Not Found')],
  ['malformed', 'after a result', precededBy('HTTP/1.1 200 OK\r\nContent-Length: 0')],
  ['malformed', 'after a 300', precededBy('HTTP/1.1 300 Choices')],
  ['malformed', 'with a second signature', GOOD.replace('poh=:', 'poh=:AA==:, poh=:')],
  [
    'malformed',
    'with a second field',
    GOOD.replace('Signature: ', 'Signature: poh=:AA==:\r\nSignature: '),
  ],
  ['changed', 'with another body', GOOD.replace('"count":0', '"count":1')],
  ['changed', 'with another wallet in the URL', GOOD.replace(WALLET, '1'.repeat(32))],
  ['changed', 'with another status', GOOD.replace('1 200', '1 201')],
  ['changed', 'signed with another status', saved({ status: 201 })],
  ['changed', 'with another content type', GOOD.replace('; charset=utf-8', '')],
  ['changed', 'with another digest', GOOD.replace('sha-256=:', 'sha-256=:A')],
  ['changed', 'with bytes that are not UTF-8', GOOD.replace('"count":0', '"count":0\ufffd')],
])('%s: a response %s', (reason, _, text) => expect(verdictOf(text)).toBe(reason));

test.each([
  '',
  'x',
  'HTTP/1.1 200 OK\r\n\r\n',
  'https://x/?a\nnothing',
  GOOD.replace('https:', 'see https:'),
  GOOD.replace('\n', ' and more\n'),
  GOOD.replace('HTTP/1.1 200', 'x HTTP/1.1 200'),
  GOOD.replace(' 200 ', ' 2000 '),
  '{"url":"https://x/?a"}',
  '{',
])('%j is not a saved response', (text) => expect(verdictOf(text)).toBe('not a saved response'));

test.each(['http://poh.example/keys', 'http://127.0.0.1.example/keys'])(
  'does not fetch keys from %s without TLS',
  async (url) => {
    await expect(readVerifyingKeys(url)).rejects.toThrow('must begin with https://');
  },
);

test('a set of this project with two keys with the same id is refused', () => {
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
