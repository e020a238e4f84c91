// What `answers verify` says of a saved response, and of a file that is none.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildSite } from '../../page/build.ts';
import { serveSite } from '../../sandbox/hosting.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
  signingKeyOf,
} from '../../sandbox/signingKey.ts';
import { parseExchange } from '../../signatures/exchange.ts';
import { KEY_SET_PATH, publicKeySetSchema } from '../../signatures/publicKeySet.ts';
import { createSigner } from '../../signatures/sign.ts';
import { type Refusal, verifyExchange } from '../../signatures/verify.ts';

const NOW_SECONDS = 1_795_000_000;
const KEY = signingKeyOf('this service');
const { keys: KEYS } = publicKeySetOf(KEY);
const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const BODY = JSON.stringify({ wallet: WALLET, attestations: [], count: 0 });

function saved({ query = `wallet=${WALLET}`, body = BODY, status = 200, key = KEY } = {}) {
  const parts = { status, contentType: 'application/json', requestId: 'id' };
  const signature = createSigner(pemOf(key), () => NOW_SECONDS * 1000)({ ...parts, query, body });
  const headers = { 'Content-Type': parts.contentType, 'X-Request-Id': 'id', ...signature };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} OK`, ...fields].join('\r\n');
  return `https://poh.example/pohAttestationsEndpoint?${query}\n${head}\r\n\r\n${body}`;
}

function verdictOf(text: string, keys = KEYS) {
  const exchange = parseExchange(Buffer.from(text));
  return exchange ? verifyExchange(exchange, keys) : undefined;
}

const GOOD = saved();
const key = KEYS[0] ?? { kty: 'OKP', crv: 'Ed25519', x: '', kid: '' };

describe('a response that is not valid', () => {
  test.each<[string, Refusal, string, typeof KEYS]>([
    ['without a signature', 'unsigned', GOOD.replace(/Signature: .*\r\n/, ''), KEYS],
    ['an error', 'unsigned', 'https://x/?a\nHTTP/1.1 401 Unauthorized\r\n\r\n{}', KEYS],
    ['with other components', 'other_signature', GOOD.replace('"@status" ', ''), KEYS],
    ['signed by another', 'unknown_key', saved({ key: signingKeyOf('another') }), KEYS],
    ['signed after retirement', 'key_retired', GOOD, [{ ...key, exp: NOW_SECONDS - 1 }]],
    ['with another body', 'body_changed', GOOD.replace('"count":0', '"count":1'), KEYS],
    ['with another wallet in the URL', 'query_changed', GOOD.replace(WALLET, '1'.repeat(32)), KEYS],
    ['with another parameter in the URL', 'signature_wrong', GOOD.replace('?', '?a=1&'), KEYS],
    ['with another status', 'signature_wrong', GOOD.replace('1 200', '1 201'), KEYS],
    ['with another request id', 'signature_wrong', GOOD.replace('-Id: id', '-Id: ie'), KEYS],
    ['with another time', 'signature_wrong', GOOD.replace('created=1', 'created=2'), KEYS],
  ])('%s: %s', (_, refusal, text, keys) => {
    expect(verdictOf(text, keys)).toEqual({ valid: false, refusal });
  });
});

describe('a response that is valid', () => {
  test.each([
    ['as curl saves it', GOOD, KEYS],
    ['with a method before the URL', `GET ${GOOD}`, KEYS],
    ['behind an interim response', GOOD.replace('\n', '\nHTTP/1.1 100 Continue\r\n\r\n'), KEYS],
    ['with the line ends of an editor', GOOD.replaceAll('\r\n', '\n'), KEYS],
    ['beside a signature of a proxy', GOOD.replace('Signature: ', 'Signature: sig=:AA==:, '), KEYS],
    ['by a key that was retired since', GOOD, [{ ...key, exp: NOW_SECONDS }]],
    ['for a request without a query', saved({ query: '' }), KEYS],
  ])('%s', (_, text, keys) => {
    expect(verdictOf(text, keys)).toEqual({
      valid: true,
      createdAt: new Date(NOW_SECONDS * 1000),
      keyId: key.kid,
    });
  });
});

test.each(['', 'x', 'HTTP/1.1 200 OK\r\n\r\n', 'https://x/?a\nnothing'])(
  '%j is not a saved response',
  (text) => {
    expect(verdictOf(text)).toBeUndefined();
  },
);

test("the local site serves the demonstration's public keys", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  await buildSite(folder, { local: true });
  const site = await serveSite(0, folder);
  const response = await fetch(new URL(KEY_SET_PATH, site.url));
  const served = publicKeySetSchema.parse(await response.json());
  await site.stop();
  rmSync(folder, { recursive: true });
  expect(served).toEqual(publicKeySetOf(DEMONSTRATION_SIGNING_KEY));
  expect(response.headers.get('Content-Type')).toBe(
    'application/http-message-signatures-directory+json',
  );
});
