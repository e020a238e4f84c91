// Compares the signature of a response with the vectors of RFC 9421 and with two independent libraries.
// Tests that a change of any signed byte is detected.

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { component, verifySignature } from 'http-message-sig';
import { createVerifier, httpbis } from 'http-message-signatures';
import { describe, expect, test } from 'vitest';
import { parseSavedResponse, verifySavedResponse } from '../../admin/signing/savedResponse.ts';
import { InvalidEvidence } from '../../clients/typescript/evidence.ts';
import { formatBase } from '../../functions/src/signatures/base.ts';
import { publicBytesOf, thumbprint } from '../../functions/src/signatures/publicKeys.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import { pemOf, publicKeySetOf, signingKeyOf } from '../../tools/sandbox/signingKey.ts';
import { amount } from '../support/amount.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0, 999);
const KEY = signingKeyOf('a test');
const { keys: KEYS } = publicKeySetOf(KEY);
const PUBLIC_KEY = createPublicKey(KEY);

const RESPONSE = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"attestations":[],"count":0,"hasVerifiedHuman":false}',
  requestId: '4bf92f3577b34da6a3ce929d0e0e4736',
  query: 'email=a%40b.example&x=%E2%82%AC',
};
const HEADERS: Record<string, string> = {
  'Content-Type': RESPONSE.contentType,
  'X-Request-Id': RESPONSE.requestId,
  ...createSigner(parseSigningKey(pemOf(KEY)), () => NOW)(RESPONSE),
};
const TARGET = `https://poh.example/pohAttestationsEndpoint?${RESPONSE.query}`;

describe('RFC 9421, appendix B.2.6', () => {
  const key = createPrivateKey(
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----\n',
  );
  const parameters =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const base = formatBase(
    [
      ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['"@method"', 'POST'],
      ['"@path"', '/foo'],
      ['"@authority"', 'example.com'],
      ['"content-type"', 'application/json'],
      ['"content-length"', '18'],
    ],
    parameters,
  );

  test('the signature equals the published one', () => {
    const published =
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
    expect(sign(null, base, key).toString('base64')).toBe(published);
    expect(verify(null, base, createPublicKey(key), Buffer.from(published, 'base64'))).toBe(true);
  });
});

// RFC 8037, appendix A.3.
test('the key id is the RFC 7638 thumbprint', () => {
  expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  );
  expect(HEADERS['Signature-Input']).toContain(`keyid="${thumbprint(publicBytesOf(KEY))}"`);
});

test('the signature covers the documented components in order, with the documented parameters', () => {
  expect(HEADERS['Signature-Input']).toBe(
    'poh=("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)' +
      `;created=${Math.floor(NOW / 1000)};keyid="${KEYS[0]?.kid}";alg="ed25519";tag="poh-attestations"`,
  );
});

describe('an independent library accepts the signature', () => {
  test('http-message-signatures', async () => {
    const request = { method: 'GET', url: TARGET, headers: {} };
    const response = { status: 200, headers: HEADERS };
    const config = {
      keyLookup: async () => ({
        id: KEYS[0]?.kid ?? '',
        algs: ['ed25519' as const],
        verify: createVerifier(PUBLIC_KEY, 'ed25519'),
      }),
    };
    expect(await httpbis.verifyMessage(config, response, request)).toBe(true);
    const other = { ...request, url: `${TARGET}1` };
    await expect(httpbis.verifyMessage({ ...config, all: true }, response, other)).resolves.toBe(
      false,
    );
  });

  test('http-message-sig', async () => {
    const signature = (targetUri: string) =>
      verifySignature(
        {
          kind: 'response',
          status: 200,
          fields: Object.entries(HEADERS).map(([name, value]) => ({ name, value })),
          request: { kind: 'request', method: 'GET', targetUri, fields: [] },
        },
        {
          label: 'poh',
          policy: {
            algorithms: ['ed25519'],
            requiredComponents: ['content-digest', component('@query', { req: true })],
            requiredParameters: ['created', 'keyid', 'tag'],
            now: Math.floor(NOW / 1000),
          },
          resolveVerifier: () => ({
            algorithm: 'ed25519',
            verify: (data, bytes) => verify(null, data, PUBLIC_KEY, bytes),
          }),
        },
      );
    await expect(signature(TARGET)).resolves.toMatchObject({ label: 'poh' });
    await expect(signature(`${TARGET}1`)).rejects.toThrow();
  });
});

const SAVED = Buffer.from(
  [
    `GET ${TARGET}`,
    'HTTP/2 200 ',
    ...Object.entries(HEADERS).map(([name, value]) => `${name.toLowerCase()}: ${value}`),
    '',
    RESPONSE.body,
  ].join('\r\n'),
);
const verdictOf = (bytes: Buffer): Date | string => {
  const saved = parseSavedResponse(bytes.toString('utf8'));
  try {
    return saved ? verifySavedResponse(saved, KEYS) : 'not a saved response';
  } catch (error) {
    if (error instanceof InvalidEvidence) return error.reason;
    throw error;
  }
};

test('the saved response is valid', () => {
  expect(verdictOf(SAVED)).toEqual(new Date(Date.UTC(2026, 10, 21, 12)));
});

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
      expect(verdictOf(changed)).toBeTypeOf('string');
    }),
    { numRuns: amount(5_000) },
  );
});
