// Tests which responses are signed, and that nothing unsigned is sent instead.

import { describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../clients/typescript/evidence.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';
import { ENDPOINTS, openEndpoint } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const byWallet = `wallet=${wallet}`;
const byEmail = `email=${await seedAccount({ wallet })}&also=%C3%A9+~`;
const byToken = `token=${await seedToken(wallet)}`;

const otherProject = `token=${await seedToken(wallet, { project: 'Other' })}`;

describe.each(ENDPOINTS)('%s', (_, endpoint) => {
  test.each([
    ['a wallet', byWallet],
    ['an email', byEmail],
    ['a token', byToken],
    ['an unknown email', 'email=nobody@example.com'],
    ['a token of another project', otherProject],
  ])('the response to %s can be verified', async (_, query) => {
    const { status, headers, text: body } = await send(endpoint, { key, target: `?${query}` });
    const requestId = String(headers['x-request-id']);
    const [signatureInput, signature] = [headers['signature-input'], headers['signature']];
    const signed = { signatureInput: String(signatureInput), signature: String(signature) };
    const evidence = { url: `${endpoint}?${query}`, status, body, requestId, ...signed };
    expect(verifyEvidence(evidence, keys).signedAt.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

test('without a signing key, responses are the same but unsigned', async () => {
  const sign = () => ({ Signature: 'a signature' });
  const plain = await openEndpoint()(key, byWallet);
  const signed = await openEndpoint(() => ({ sign }))(key, byWallet);
  expect({ ...plain, headers: { ...plain.headers, ...sign() } }).toEqual(signed);
});

test('a failure to sign is an internal error, never an unsigned result', async () => {
  const logged: LogLine[] = [];
  const sign = () => {
    throw new RangeError('no entropy');
  };
  const lookUp = openEndpoint(() => ({ sign, log: (line) => logged.push(line) }));
  const { status, headers, json } = await lookUp(key, byWallet);
  expect(status).toBe(500);
  expect(json).toMatchObject({ code: 'internal' });
  expect(headers).not.toHaveProperty('Signature');
  expect(logged).toEqual([
    expect.objectContaining({ cause: expect.objectContaining({ name: 'RangeError' }) }),
  ]);
});
