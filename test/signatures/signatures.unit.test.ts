// Tests the signature of a response: its form, that an independent implementation accepts it, what it covers, and with
// which keys the function signs. The reasons for which evidence is refused are in
// test/clients/evidence.unit.test.ts.

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createVerifier, httpbis } from 'http-message-signatures';
import { describe, expect, test } from 'vitest';
import { publicKeySetSchema } from '../../functions/src/signatures/publicKeySet.ts';
import {
  createSigner,
  parseSigningKey,
  publicKeyOf,
  readSigner,
} from '../../functions/src/signatures/sign.ts';
import { pemOf, publicKeySetOf, signingKeyOf } from '../../tools/sandbox/demonstrationKey.ts';

const NOW_SECONDS = 1_795_000_000;
const NOW = NOW_SECONDS * 1_000 + 999;
const KEY = signingKeyOf('a test');
const { keys: KEYS } = publicKeySetOf(KEY);
const key = KEYS[0] ?? { kty: 'OKP', crv: 'Ed25519', x: '', kid: '' };

const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const BODY = JSON.stringify({ wallet: WALLET, attestations: [], count: 0 });
const RESPONSE = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  requestId: '4bf92f3577b34da6a3ce929d0e0e4736',
  query: `wallet=${WALLET}&x=%E2%82%AC`,
  body: BODY,
};

test.each([
  ['text', 'not-a-key-but-a-secret'],
  ['a key of another type', pemOf(generateKeyPairSync('x25519').privateKey)],
])('%s is no signing key, and the error does not repeat it', (_, pem) => {
  // The whole message.
  expect(() => parseSigningKey(pem)).toThrow(
    /^RESPONSE_SIGNING_KEY is not an Ed25519 private key in PKCS #8 PEM format\. Create one with `[\w -]+`\.$/,
  );
});

test('a private key may have its line ends escaped, as in a secret of one line', () => {
  const escaped = pemOf(KEY).replaceAll('\n', '\\n');
  expect(parseSigningKey(escaped).keyId).toBe(parseSigningKey(pemOf(KEY)).keyId);
});

const signer = createSigner(parseSigningKey(pemOf(KEY)), () => NOW);
const HEADERS: Record<string, string> = {
  'Content-Type': RESPONSE.contentType,
  'X-Request-Id': RESPONSE.requestId,
  ...signer(RESPONSE),
};
const TARGET = `https://poh.example/pohAttestationsEndpoint?${RESPONSE.query}`;

// RFC 8037, appendix A.3.
test('the key id is the RFC 7638 thumbprint', () => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  expect(publicKeyOf(createPublicKey({ key: jwk, format: 'jwk' }))).toEqual({
    ...jwk,
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  });
  expect(HEADERS['Signature-Input']).toContain(`keyid="${key.kid}"`);
});

test('an independent library accepts the signature, and no change of what it covers', async () => {
  const request = { method: 'GET', url: TARGET, headers: {} };
  const response = { status: 200, headers: HEADERS };
  const config = {
    all: true,
    keyLookup: async () => ({
      id: key.kid,
      algs: ['ed25519' as const],
      verify: createVerifier(createPublicKey(KEY), 'ed25519'),
    }),
  };
  const accepts = (changes: { request?: object; response?: object } = {}) =>
    httpbis.verifyMessage(
      config,
      { ...response, ...changes.response },
      { ...request, ...changes.request },
    );
  expect(await accepts()).toBe(true);
  const input = HEADERS['Signature-Input'] ?? '';
  const otherTime = input.replace(`${NOW_SECONDS}`, `${NOW_SECONDS + 1}`);
  for (const changes of [
    { request: { url: `${TARGET}1` } },
    { request: { method: 'POST' } },
    { response: { status: 201 } },
    { response: { headers: { ...HEADERS, 'Content-Type': 'application/json' } } },
    { response: { headers: { ...HEADERS, 'Content-Digest': 'sha-256=:AA==:' } } },
    { response: { headers: { ...HEADERS, 'X-Request-Id': 'another' } } },
    { response: { headers: { ...HEADERS, 'Signature-Input': otherTime } } },
  ]) {
    expect(await accepts(changes), JSON.stringify(changes)).toBe(false);
  }
});

const leakedAt = (time: number): typeof KEYS => [
  { ...key, exp: time, revoked: { revoked_at: time, reason: 'compromised' } },
];

test('a set of this project with two keys with the same id is refused', () => {
  const keys = [key, { ...key, exp: NOW_SECONDS }];
  expect(publicKeySetSchema.safeParse({ keys }).success).toBe(false);
});

describe('a function that starts with a signing key', () => {
  const deployed = { K_SERVICE: 'any', GCLOUD_PROJECT: 'any' };
  const env = { ...deployed, RESPONSE_SIGNING_KEY: pemOf(KEY) };
  const start = (keys: typeof KEYS) => readSigner(env, keys, () => NOW_SECONDS * 1000);

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

  test('without its private key refuses to start if it is deployed and its set has an active key', () => {
    const keys = [...leakedAt(NOW_SECONDS), ...publicKeySetOf(signingKeyOf('another')).keys];
    expect(() => readSigner(deployed, keys, Date.now)).toThrow('RESPONSE_SIGNING_KEY is not set');
    expect(readSigner({}, KEYS, Date.now)).toBeUndefined();
    expect(readSigner(deployed, leakedAt(NOW_SECONDS), Date.now)).toBeUndefined();
  });
});
