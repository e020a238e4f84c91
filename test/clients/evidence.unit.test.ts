// Tests the verification of valid and forged evidence with the clients.

import { beforeAll, describe, expect, test } from 'vitest';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
  signingKeyOf,
} from '../../tools/sandbox/signingKey.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { byWallet } from './responders.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const QUERY = `email=${encodeURIComponent('j\u00fcrg+1@example.com')}`;
const BODY = JSON.stringify({ ...byWallet.value, note: 'j\u00fcrg' });
/** @param at milliseconds since the epoch */
function evidenceAt(at: number) {
  const sign = createSigner(parseSigningKey(pemOf(DEMONSTRATION_SIGNING_KEY)), () => at);
  const contentType = 'application/json; charset=utf-8';
  const signed = sign({ status: 200, contentType, body: BODY, requestId: 'r-1', query: QUERY });
  return {
    url: `https://poh.example/pohAttestationsEndpoint?${QUERY}`,
    body: BODY,
    requestId: 'r-1',
    signatureInput: signed['Signature-Input'] ?? '',
    signature: signed['Signature'] ?? '',
  };
}
const EVIDENCE = evidenceAt(NOW);
const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
const seconds = NOW / 1000;
const { signature, signatureInput } = EVIDENCE;
const leakedAt = (time: number) => ({
  keys: keys.map((key) => ({
    ...key,
    exp: time,
    revoked: { revoked_at: time, reason: 'compromised' },
  })),
});
const VALID: Readonly<Record<string, Partial<Job>>> = {
  'without changes': {},
  'through another address': { evidence: { ...EVIDENCE, url: `http://other.example/?${QUERY}` } },
  'with other signatures': {
    evidence: {
      ...EVIDENCE,
      signature: `a=:AA==:, ${signature}`,
      signatureInput: `a=(), ${signatureInput}`,
    },
  },
  'with a key that was retired later': { keys: keys.map((key) => ({ ...key, exp: seconds })) },
  'with a key that was created at the time of signing': {
    keys: keys.map((key) => ({ ...key, nbf: seconds })),
  },
  'with a key that was created with a slightly fast clock': {
    keys: keys.map((key) => ({ ...key, nbf: seconds + 299 })),
  },
  'with a key that leaked later, if the evidence was kept since before the leak': {
    ...leakedAt(seconds + 1),
    keptSince: NOW + 999,
  },
  'with other keys in the set': {
    keys: [{ kid: 'a', kty: 'RSA' }, ...publicKeySetOf(signingKeyOf('other')).keys, ...keys],
  },
};
const FORGED: Readonly<Record<string, Partial<Job>>> = {
  'another body': { evidence: { ...EVIDENCE, body: BODY.replace('true', 'false') } },
  'another query': { evidence: { ...EVIDENCE, url: `${EVIDENCE.url}1` } },
  'another request id': { evidence: { ...EVIDENCE, requestId: 'r-2' } },
  'another time': {
    evidence: {
      ...EVIDENCE,
      signatureInput: signatureInput.replace(`${seconds}`, `${seconds + 1}`),
    },
  },
  'fewer components': {
    evidence: { ...EVIDENCE, signatureInput: signatureInput.replace('"@status" ', '') },
  },
  'no signature': { evidence: { ...EVIDENCE, signature: '' } },
  'unused bits in the signature': {
    evidence: {
      ...EVIDENCE,
      signature: signature.replace(/.==:$/, (end) => `${end[0] === 'B' ? 'C' : 'B'}==:`),
    },
  },
  'no keys': { keys: [] },
  'an unrelated key': { keys: publicKeySetOf(signingKeyOf('other')).keys },
  'an unrelated key with the same id': {
    keys: publicKeySetOf(signingKeyOf('other')).keys.map((key) => ({ ...key, kid: keys[0]?.kid })),
  },
  'a retired key': { keys: keys.map((key) => ({ ...key, exp: seconds - 1 })) },
  'a key that was created later': { keys: keys.map((key) => ({ ...key, nbf: seconds + 301 })) },
  'a leaked key': { ...leakedAt(seconds), keptSince: 0 },
  'a key that leaked later, if the evidence was kept since an unknown time': leakedAt(seconds + 1),
  'a key that leaked later, if the evidence was kept only since the leak': {
    ...leakedAt(seconds + 1),
    keptSince: NOW + 1_000,
  },
  'a time in the future': { evidence: evidenceAt(Date.now() + 400_000) },
  'two keys with the same id': { keys: [...keys, ...keys] },
  'two members in the signature': {
    evidence: { ...EVIDENCE, signature: `${signature}, poh=:AA==:` },
  },
  'two members in the input': {
    evidence: { ...EVIDENCE, signatureInput: `poh;a=1,${signatureInput}` },
  },
  'a key without its bytes': { keys: keys.map(({ x, ...key }) => key) },
  'a key of another type': { keys: keys.map((key) => ({ ...key, kty: 'EC' })) },
};

describe.each(LANGUAGES.filter(({ canVerify }) => canVerify))('$name', ({ run }) => {
  const outcomes = new Map<string, Outcome | undefined>();

  beforeAll(async () => {
    const cases = Object.entries({ ...VALID, ...FORGED });
    const found = await run(
      cases.map(([, change]) => ({ action: 'verify', evidence: EVIDENCE, keys, ...change })),
    );
    cases.forEach(([title], index) => {
      outcomes.set(title, found[index]);
    });
  }, 120_000);

  test.each(Object.keys(VALID))('verifies evidence %s', (title) => {
    expect(outcomes.get(title)).toMatchObject({ kind: 'ok', value: new Date(NOW).toISOString() });
  });

  test.each(Object.keys(FORGED))('does not verify evidence with %s', (title) => {
    expect(outcomes.get(title)).toMatchObject({ kind: 'ok', value: null });
  });
});
