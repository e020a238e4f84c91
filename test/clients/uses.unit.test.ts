// What the clients make of addresses, keys and subjects as people paste them; many lookups; what they read
// out of a result; and evidence.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
  signingKeyOf,
} from '../../sandbox/signingKey.ts';
import { createSigner, parseSigningKey } from '../../signatures/sign.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { byWallet, type HostileServer, startHostileServer } from './hostileServer.ts';

const KEY = 'a-key-that-nobody-may-see';
const { wallet, token, proposal, pendingProposal, nullifierHash } = DEMONSTRATION;
const HOST = 'nobody-may-see-this';

/** Never sent: what the client is made of cannot work. */
const UNUSABLE: Readonly<Record<string, Partial<Job>>> = {
  'no address': { url: '' },
  'white space for an address': { url: ' \n' },
  'an address without a scheme': { url: `${HOST}:5002` },
  'a path for an address': { url: `/${HOST}` },
  'http to another machine': { url: `http://${HOST}` },
  'http to a name that begins like this machine': { url: `http://localhost.${HOST}` },
  'http to an address that begins like this machine': { url: 'http://127.0.0.1.example' },
  'another scheme': { url: `ftp://${HOST}` },
  'a user name in the address': { url: `https://${HOST}:${KEY}@poh.example` },
  'a query in the address': { url: `https://${HOST}/?a=1` },
  'a fragment in the address': { url: `https://${HOST}/#a` },
  'a port that is not one': { url: `https://${HOST}:99999` },
  'no key': { key: '' },
  'white space for a key': { key: ' \r\n' },
  'a line break in the key': { key: `${KEY}\nX: 1` },
  'a key of another script': { key: `${KEY}\u00e9` },
  'a zero in the key': { key: `${KEY}\0` },
};

/** The subject as it was typed, and as it is sent. */
const TYPED: readonly (readonly [Record<string, string>, string])[] = [
  [{ token: ` ${token}\n` }, `token=${token}`],
  [{ token: `\ufeff${token}\r\n` }, `token=${token}`],
  [{ wallet: `\t${wallet} ` }, `wallet=${wallet}`],
  [{ email: ' al+vote@example.com ' }, 'email=al%2Bvote%40example.com'],
  [{ email: 'al vote@example.com' }, 'email=al%20vote%40example.com'],
  [{ email: 'a&wallet=b@example.com' }, 'email=a%26wallet%3Db%40example.com'],
  [{ email: 'j\u00fcrg@example.com' }, 'email=j%C3%BCrg%40example.com'],
  [{ token: 'a\nb' }, 'token=a%0Ab'],
  [{ token, wallet: ' ' }, `token=${token}`],
];

const RESULT = {
  ...byWallet.value,
  attestations: [
    { attestationType: 0, contextHashHex: '00'.repeat(32), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '01'.repeat(32).toUpperCase(), status: 'confirmed' },
    { attestationType: 1, contextHashHex: '03'.repeat(32), status: 'pending' },
    { attestationType: 2, contextHashHex: '04'.repeat(32), status: 'confirmed' },
    { attestationType: 4, contextHashHex: nullifierHash, status: 'confirmed' },
    { attestationType: 9, contextHashHex: '01'.repeat(32), status: 'new' },
  ].map((entry, index) => ({
    ...byWallet.value.attestations[0],
    ...entry,
    onChainAddress: `a${index}`,
  })),
};
const READ: Job = { action: 'read', result: RESULT, proposal, hash: nullifierHash };
const NOT_ADDRESSES = [
  '',
  'x',
  '0OIl',
  wallet.slice(2),
  `${wallet}1`,
  '1'.repeat(33),
  '00'.repeat(32),
];

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
  'as it was kept': {},
  'through another address': { evidence: { ...EVIDENCE, url: `http://other.example/?${QUERY}` } },
  'beside other signatures': {
    evidence: {
      ...EVIDENCE,
      signature: `a=:AA==:, ${signature}`,
      signatureInput: `a=(), ${signatureInput}`,
    },
  },
  'with a key that was retired later': { keys: keys.map((key) => ({ ...key, exp: seconds })) },
  'with a key that was made at that time': {
    keys: keys.map((key) => ({ ...key, nbf: seconds })),
  },
  'with a key made by a clock that is a little fast': {
    keys: keys.map((key) => ({ ...key, nbf: seconds + 299 })),
  },
  'with a key that leaked later, kept since before': {
    ...leakedAt(seconds + 1),
    keptSince: NOW + 999,
  },
  'beside other keys': {
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
  'spare bits in the signature': {
    evidence: {
      ...EVIDENCE,
      signature: signature.replace(/.==:$/, (end) => `${end[0] === 'B' ? 'C' : 'B'}==:`),
    },
  },
  'no keys': { keys: [] },
  'a key of another': { keys: publicKeySetOf(signingKeyOf('other')).keys },
  "another's key under its id": {
    keys: publicKeySetOf(signingKeyOf('other')).keys.map((key) => ({ ...key, kid: keys[0]?.kid })),
  },
  'a retired key': { keys: keys.map((key) => ({ ...key, exp: seconds - 1 })) },
  'a key that was made later': { keys: keys.map((key) => ({ ...key, nbf: seconds + 301 })) },
  'a leaked key': { ...leakedAt(seconds), keptSince: 0 },
  'a key that leaked later, kept since nobody knows when': leakedAt(seconds + 1),
  'a key that leaked later, kept since the leak': {
    ...leakedAt(seconds + 1),
    keptSince: NOW + 1_000,
  },
  'a time of the future': { evidence: evidenceAt(Date.now() + 400_000) },
  'two keys of one id': { keys: [...keys, ...keys] },
  'two members in the signature': {
    evidence: { ...EVIDENCE, signature: `${signature}, poh=:AA==:` },
  },
  'two members in the input': {
    evidence: { ...EVIDENCE, signatureInput: `poh;a=1,${signatureInput}` },
  },
  'a key without its bytes': { keys: keys.map(({ x, ...key }) => key) },
  'a key of another type': { keys: keys.map((key) => ({ ...key, kty: 'EC' })) },
};

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(LANGUAGES.filter(({ missing }) => missing === ''))('$name', ({ name, run }) => {
  const jobs = new Map<string, Job>();
  const outcomes = new Map<string, Outcome | undefined>();
  const lookUp = (job: Partial<Job>): Job => ({
    action: 'lookUp',
    url: server.url('good', `${name}-any`),
    key: KEY,
    subject: { wallet },
    ...job,
  });
  const many = (how: string, subjects: readonly Record<string, string>[], atOnce: number): Job => ({
    ...lookUp({ url: server.url(how, `${name}-many`) }),
    action: 'many',
    subjects,
    atOnce,
  });
  const tokens = Array.from({ length: 60 }, (_, index) => ({ token: `t-${index}` }));

  beforeAll(async () => {
    for (const [title, job] of Object.entries(UNUSABLE)) jobs.set(title, lookUp(job));
    jobs.set('empty', lookUp({ subject: { token: ' \n' } }));
    TYPED.forEach(([subject], index) => {
      jobs.set(
        `typed ${index}`,
        lookUp({
          subject,
          key: `\ufeff ${KEY}\r\n`,
          url: ` ${server.url('good', `${name}-${index}`)}/ `,
        }),
      );
    });
    jobs.set('many', many('byToken', [{ token: 'unknown' }, ...tokens], 8));
    jobs.set('none', many('byToken', [], 8));
    jobs.set('refused', many('unauthorized', tokens, 4));
    jobs.set('read', READ);
    jobs.set('read pending', { ...READ, proposal: pendingProposal, hash: '07'.repeat(32) });
    jobs.set('read nobody', { ...READ, result: { ...RESULT, attestations: [] } });
    for (const address of NOT_ADDRESSES)
      jobs.set(`read ${address}`, { ...READ, proposal: address });
    jobs.set('read no hash', { ...READ, hash: '05' });
    for (const [title, change] of Object.entries({ ...VALID, ...FORGED })) {
      jobs.set(title, { action: 'verify', evidence: EVIDENCE, keys, ...change });
    }
    const run1 = await run([...jobs.values()]);
    [...jobs.keys()].forEach((title, index) => {
      outcomes.set(title, run1[index]);
    });
  }, 120_000);

  test.each(Object.entries(UNUSABLE))('refuses %s in a sentence', (title) => {
    const { kind, text = '' } = outcomes.get(title) ?? {};
    expect(kind).toBe('invalid');
    expect(text).not.toContain(KEY);
    expect(text.replaceAll(/File .*/g, '')).not.toContain(HOST);
  });

  test('refuses an empty subject without a request', () => {
    expect(outcomes.get('empty')).toMatchObject({
      kind: 'refused',
      status: 0,
      code: 'missing_subject',
    });
    expect(server.times.has(`good ${name}-any`)).toBe(false);
  });

  test.each(TYPED.map(([subject, query], index) => ({ subject, query, index })))(
    'sends $subject as $query',
    ({ subject, query, index }) => {
      expect(server.sent.get(`good ${name}-${index}`)?.[0]).toBe(`${query} ${KEY}`);
      const kind = Object.keys(subject)[0] === 'wallet' ? 'ok' : expect.any(String);
      expect(outcomes.get(`typed ${index}`)).toMatchObject({ kind });
    },
  );

  test('looks up many, as many at once as allowed, and goes on after a refusal', () => {
    const found = outcomes.get('many')?.value as { done: number; code: string | null }[];
    expect(found.map(({ done }) => done)).toEqual(found.map((_, index) => index + 1));
    expect(found).toHaveLength(61);
    expect(found.filter(({ code }) => code !== null)).toEqual([
      {
        subject: { token: 'unknown' },
        code: 'token_not_found',
        done: expect.any(Number),
        total: 61,
        isHuman: null,
      },
    ]);
    expect(found.filter((each) => 'isHuman' in each && each.isHuman === true)).toHaveLength(60);
    expect(outcomes.get('none')).toMatchObject({ kind: 'ok', value: [] });
  });

  test('ends many lookups when the key is refused', () => {
    expect(outcomes.get('refused')).toMatchObject({ kind: 'refused', code: 'unauthorized' });
    expect(server.times.get(`unauthorized ${name}-many`)?.length).toBeLessThan(20);
  });

  test('reads votes, support, poll votes and the mark', () => {
    const all = { votedIn: true, supports: false, castPollVote: true, walletMark: 'a0' };
    const none = { votedIn: false, supports: false, castPollVote: false };
    expect(outcomes.get('read')?.value).toEqual(all);
    expect(outcomes.get('read pending')?.value).toEqual({ ...none, walletMark: 'a0' });
    expect(outcomes.get('read nobody')?.value).toEqual({ ...none, walletMark: null });
  });

  test.each([...NOT_ADDRESSES, 'no hash'])('takes no vote for %j', (address) => {
    expect(outcomes.get(`read ${address}`)).toMatchObject({ kind: 'invalid' });
  });

  test.each(Object.keys(VALID))('verifies evidence %s', (title) => {
    expect(outcomes.get(title)).toMatchObject({ kind: 'ok', value: new Date(NOW).toISOString() });
  });

  test.each(Object.keys(FORGED))('does not verify %s', (title) => {
    expect(outcomes.get(title)).toMatchObject({ kind: 'ok', value: null });
  });
});
