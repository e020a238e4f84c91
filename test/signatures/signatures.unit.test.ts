// Tests the signature of a response: its form, that independent implementations accept it, which saved responses are
// valid, and with which keys the function signs. The reasons for which evidence is refused are in
// test/clients/evidence.unit.test.ts.

import { createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { createVerifier, httpbis } from 'http-message-signatures';
import { describe, expect, test } from 'vitest';
import { readVerifyingKeys } from '../../admin/signing/publicKeySet.ts';
import { parseSavedResponse, verifySavedResponse } from '../../admin/signing/responses.ts';
import { InvalidEvidence } from '../../clients/typescript/evidence.ts';
import { publicKeySetSchema } from '../../functions/src/signatures/publicKeySet.ts';
import { publicBytesOf, thumbprint } from '../../functions/src/signatures/publicKeys.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import { readSigner } from '../../functions/src/signingKey.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { pemOf, publicKeySetOf, signingKeyOf } from '../../tools/sandbox/signingKey.ts';
import { amount } from '../support/amount.ts';

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
const signer = createSigner(parseSigningKey(pemOf(KEY)), () => NOW);
const HEADERS: Record<string, string> = {
  'Content-Type': RESPONSE.contentType,
  'X-Request-Id': RESPONSE.requestId,
  ...signer(RESPONSE),
};
const TARGET = `https://poh.example/pohAttestationsEndpoint?${RESPONSE.query}`;

// RFC 8037, appendix A.3.
test('the key id is the RFC 7638 thumbprint', () => {
  expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  );
  expect(HEADERS['Signature-Input']).toContain(`keyid="${thumbprint(publicBytesOf(KEY))}"`);
});

test('an independent library accepts the signature', async () => {
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
  expect(await httpbis.verifyMessage(config, response, request)).toBe(true);
  const other = { ...request, url: `${TARGET}1` };
  expect(await httpbis.verifyMessage(config, response, other)).toBe(false);
});

/** A saved response, whose signature fits the changed parts. */
function saved(changes: Partial<typeof RESPONSE> = {}): string {
  const { status, query, ...parts } = { ...RESPONSE, ...changes };
  const headers = { ...HEADERS, ...signer({ status, query, ...parts }) };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} OK`, ...fields].join('\r\n');
  return `https://poh.example/pohAttestationsEndpoint?${query}\n${head}\r\n\r\n${BODY}`;
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

const SAVED = Buffer.from(GOOD);
const SIGNED_PARTS = [
  RESPONSE.query,
  ' 200 ',
  RESPONSE.contentType,
  RESPONSE.requestId,
  HEADERS['Content-Digest'] ?? '',
  HEADERS['Signature-Input'] ?? '',
  HEADERS['Signature'] ?? '',
  RESPONSE.body,
];

test('a change of any signed byte is refused', () => {
  const positions = SIGNED_PARTS.flatMap((part) => {
    const start = SAVED.indexOf(part);
    return Array.from(part.trim(), (_, index) => start + index + (part.startsWith(' ') ? 1 : 0));
  });
  const position = fc.constantFrom(...positions);
  fc.assert(
    fc.property(position, fc.integer({ min: 1, max: 255 }), (at, difference) => {
      const changed = Buffer.from(SAVED);
      changed[at] = (changed[at] ?? 0) ^ difference;
      expect(verdictOf(changed.toString())).toBeTypeOf('string');
    }),
    { numRuns: amount(5_000) },
  );
});

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
  [
    'malformed',
    'with a second field',
    GOOD.replace('Signature: ', 'Signature: poh=:AA==:\r\nSignature: '),
  ],
  ['changed', 'signed with another status', saved({ status: 201 })],
  ['changed', 'saved with another status', GOOD.replace('HTTP/1.1 200', 'HTTP/1.1 404')],
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

test.each([
  ['with an error', 404, ''],
  ['of more than 1 MiB', 200, ' '.repeat(2 ** 20)],
])('keys from a response %s are refused', async (_, status, padding) => {
  const server = createServer((_request, response) => {
    response.writeHead(status).end(padding + JSON.stringify({ keys: KEYS }));
  });
  const url = `http://127.0.0.1:${await listen(server)}/keys`;
  await expect(readVerifyingKeys(url)).rejects.toThrow(`cannot be fetched from ${url}.`);
  server.close();
});

test('a set of this project with two keys with the same id is refused', () => {
  const keys = [key, { ...key, exp: NOW_SECONDS }];
  expect(publicKeySetSchema.safeParse({ keys }).success).toBe(false);
});

describe('a function that starts with a signing key', () => {
  const env = { RESPONSE_SIGNING_KEY: pemOf(KEY) };
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
    const deployed = { K_SERVICE: 'any' };
    expect(() => readSigner(deployed, KEYS, Date.now)).toThrow('RESPONSE_SIGNING_KEY is not set');
    expect(readSigner({}, KEYS, Date.now)).toBeUndefined();
    expect(readSigner(deployed, leakedAt(NOW_SECONDS), Date.now)).toBeUndefined();
  });
});
