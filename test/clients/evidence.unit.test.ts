// Tests the verification of valid, forged and damaged evidence. Every language gives the same verdict and reason.

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { REASONS, type Reason } from '../../clients/typescript/evidence.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
  signingKeyOf,
} from '../../tools/sandbox/signingKey.ts';
import { type EvidenceCase, type Job, LANGUAGES } from './drivers.ts';
import { RESULT } from './responses.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const QUERY = `email=${encodeURIComponent('j\u00fcrg+1@example.com')}`;
const BODY = JSON.stringify({ ...RESULT, note: 'j\u00fcrg' });

/** @param at milliseconds since the epoch */
function evidenceAt(at: number, query = QUERY) {
  const sign = createSigner(parseSigningKey(pemOf(DEMONSTRATION_SIGNING_KEY)), () => at);
  const contentType = 'application/json; charset=utf-8';
  const signed = sign({ status: 200, contentType, body: BODY, requestId: 'r-1', query });
  return {
    url: `https://poh.example/pohAttestationsEndpoint?${query}`,
    body: BODY,
    requestId: 'r-1',
    signatureInput: signed['Signature-Input'] ?? '',
    signature: signed['Signature'] ?? '',
  };
}

const EVIDENCE = evidenceAt(NOW);
const { signature, signatureInput } = EVIDENCE;
const seconds = NOW / 1000;
const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
const others = publicKeySetOf(signingKeyOf('other')).keys;
const kid = keys[0]?.kid;

const changed = (fields: object): Partial<EvidenceCase> => ({
  evidence: { ...EVIDENCE, ...fields },
});
const withKey = (members: object): Partial<EvidenceCase> => ({
  keys: keys.map((key) => ({ ...key, ...members })),
});
const leakedAt = (time: number) =>
  withKey({ exp: time, revoked: { revoked_at: time, reason: 'compromised' } });
/** Sets the unused bits of the last character, which a lenient decoder ignores. */
const withUnusedBits = (base64: string): string =>
  base64.replace(/.(=*)$/, (end) => `${end[0] === 'B' ? 'C' : 'B'}${end.slice(1)}`);
const without = (name: string) => {
  const { [name]: _, ...rest } = { ...EVIDENCE } as Record<string, string>;
  return { evidence: rest };
};

const VALID: Readonly<Record<string, Partial<EvidenceCase>>> = {
  'without changes': {},
  'through another address': changed({ url: `http://other.example/?${QUERY}` }),
  'with "#" in the query': { evidence: evidenceAt(NOW, 'wallet=W&a=#x?y') },
  'with other signatures': changed({
    signature: `a=:AA==:, ${signature}`,
    signatureInput: `a=(), ${signatureInput}`,
  }),
  'with a key that was retired later': withKey({ exp: seconds }),
  'with a key that was created at the time of signing': withKey({ nbf: seconds }),
  'with a key that was created with a slightly fast clock': withKey({ nbf: seconds + 299 }),
  'with a key that leaked later, if the evidence was kept since before the leak': {
    ...leakedAt(seconds + 1),
    keptSince: NOW + 999,
  },
  'with a key that leaked later, if the clock of the proof was 5 minutes slow': {
    ...leakedAt(seconds + 1),
    keptSince: NOW - 300_000,
  },
  'with other keys in the set': {
    keys: [{ kid: 'a', kty: 'RSA' }, null, 7, { kid: 7 }, { kid: 7 }, ...others, ...keys],
  },
  'with members of a key in another case': withKey({ EXP: 1, Revoked: {}, X: '' }),
  'signed when the clock was 4 minutes fast': {
    evidence: evidenceAt(Math.floor(Date.now() / 1000) * 1000 + 240_000),
  },
};

const REFUSED: Readonly<Record<string, readonly [Reason, Partial<EvidenceCase>]>> = {
  'another body': ['changed', changed({ body: BODY.replace('true', 'false') })],
  'a lone surrogate in the body': ['changed', changed({ body: `${BODY}\ud800` })],
  'a lone surrogate in the address': ['changed', changed({ url: `${EVIDENCE.url}\ud800` })],
  'another query': ['changed', changed({ url: `${EVIDENCE.url}1` })],
  'another request id': ['changed', changed({ requestId: 'r-2' })],
  'another time': [
    'changed',
    changed({ signatureInput: signatureInput.replace(`${seconds}`, `${seconds + 1}`) }),
  ],
  'another key with the same id': ['changed', { keys: others.map((key) => ({ ...key, kid })) }],
  'fewer components': [
    'malformed',
    changed({ signatureInput: signatureInput.replace('"@status" ', '') }),
  ],
  'no signature': ['malformed', changed({ signature: '' })],
  'null as the signature': ['malformed', changed({ signature: null })],
  'no input of the signature': ['malformed', without('signatureInput')],
  'no body': ['malformed', without('body')],
  'members in another case': [
    'malformed',
    { evidence: { ...without('body').evidence, Body: BODY } },
  ],
  'only a foreign signature': ['malformed', changed({ signatureInput: 'sig=();created=1' })],
  nothing: ['malformed', { evidence: null }],
  'unused bits in the signature': [
    'malformed',
    changed({ signature: signature.replace(/.==:$/, (end) => `${end[0] === 'B' ? 'C' : 'B'}==:`) }),
  ],
  'two members in the signature': ['malformed', changed({ signature: `${signature}, poh=:AA==:` })],
  'two members in the input': [
    'malformed',
    changed({ signatureInput: `poh;a=1,${signatureInput}` }),
  ],
  'no keys': ['unknown_key', { keys: [] }],
  'an unrelated key': ['unknown_key', { keys: others }],
  'two keys with its id': ['invalid_keys', { keys: [...keys, ...keys] }],
  'two keys with its id, of which one is not usable': [
    'invalid_keys',
    { keys: [{ kid }, ...keys] },
  ],
  'two other keys with one id': ['invalid_keys', { keys: [...keys, ...others, ...others] }],
  'a retired key': ['key_retired', withKey({ exp: seconds - 1 })],
  'a key that was created later': ['key_not_yet', withKey({ nbf: seconds + 301 })],
  'a leaked key': ['key_leaked', { ...leakedAt(seconds), keptSince: 1 }],
  'a key that leaked at an unknown time': [
    'key_leaked',
    { ...withKey({ revoked: {} }), keptSince: 1 },
  ],
  'a key that leaked later, if the evidence was kept since an unknown time': [
    'key_leaked',
    leakedAt(seconds + 1),
  ],
  'a key that leaked later, if the evidence was kept only since the leak': [
    'key_leaked',
    { ...leakedAt(seconds + 1), keptSince: NOW + 1_000 },
  ],
  'a key that leaked later, if the proof is earlier than the signature': [
    'key_leaked',
    { ...leakedAt(seconds + 1), keptSince: NOW - 300_001 },
  ],
  'a time in the future': ['clock', { evidence: evidenceAt(Date.now() + 400_000) }],
};

/** Members with another type, which make a key unusable. */
const UNUSABLE: readonly object[] = [
  { x: undefined },
  { x: `${keys[0]?.x}!` },
  { x: withUnusedBits(keys[0]?.x ?? '') },
  { x: 7 },
  { kty: 'EC' },
  { crv: 'X25519' },
  { use: 'enc' },
  { use: null },
  { nbf: '1' },
  { nbf: 1.5 },
  { exp: null },
  { exp: true },
  { revoked: true },
  { revoked: null },
  { revoked: [] },
  { revoked: { revoked_at: '1' } },
];

const caseOf = (change: Partial<EvidenceCase>): EvidenceCase => ({
  evidence: EVIDENCE,
  keys,
  ...change,
});

/** 6,000 combinations of damages, the same in each run. */
const GENERATED = (() => {
  const near = fc.integer({ min: seconds - 800, max: seconds + 800 });
  const time = fc.oneof(near, fc.constant(seconds));
  const odd = fc.oneof(
    { weight: 6, arbitrary: time },
    fc.constantFrom<unknown>(null, true, '1', 1.5, 0, -1, 2 ** 53, {}, [], { revoked_at: 1 }),
  );
  const member = (name: string) =>
    fc.option(
      odd.map((value) => ({ [name]: value })),
      { freq: 2 },
    );
  const leak = fc.oneof(
    time.map((at) => ({ revoked_at: at })),
    fc.record({ revoked_at: odd }),
    odd,
  );
  const key = fc
    .tuple(
      fc.constantFrom(...keys, ...keys, ...others, ...keys.map((one) => ({ ...one, x: 'AA' }))),
      member('nbf'),
      member('exp'),
      fc.option(
        leak.map((revoked) => ({ revoked })),
        { freq: 3 },
      ),
      fc.option(fc.constantFrom({ EXP: 1 }, { X: '' }, { use: 'sig' }, { use: 1 }, { kid }), {
        freq: 5,
      }),
    )
    .map((parts) => Object.assign({}, ...parts) as object);
  const text = fc.oneof(
    fc.constantFrom(
      ...Object.values(EVIDENCE),
      '',
      'poh',
      '\ufeff',
      '\u0000',
      '\ud800',
      'a,\tpoh=1',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const damage = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    fc
      .tuple(fc.constantFrom(...Object.keys(EVIDENCE)), text, fc.boolean())
      .map(([name, added, isBefore]) => {
        const value = EVIDENCE[name as keyof typeof EVIDENCE];
        return { [name]: isBefore ? `${added}${value}` : `${value}${added}` };
      }),
    fc
      .tuple(fc.constantFrom(...Object.keys(EVIDENCE)), text)
      .map(([name, value]) => ({ [name]: value })),
    fc.constantFrom(...Object.keys(EVIDENCE)).map((name) => ({ [name]: null })),
  );
  const arbitrary = fc
    .tuple(damage, fc.array(key, { minLength: 0, maxLength: 2 }), fc.option(time))
    .map(([fields, set, kept]) =>
      caseOf({ ...changed(fields), keys: set, ...(kept !== null && { keptSince: kept * 1000 }) }),
    );
  return fc.sample(arbitrary, { numRuns: 6_000, seed: 1 });
})();

const FIXED = [
  ...Object.values(VALID),
  ...Object.values(REFUSED).map(([, change]) => change),
  ...UNUSABLE.map(withKey),
].map(caseOf);
const job: Job = { action: 'verify', cases: [...FIXED, ...GENERATED] };
const languages = LANGUAGES.filter(({ canVerify }) => canVerify);
const verdicts = new Map<string, string[]>();

beforeAll(async () => {
  const run = async ({ name, run }: (typeof languages)[number]): Promise<void> => {
    verdicts.set(name, (await run({ job }))['job']?.value as string[]);
  };
  await Promise.all(languages.map(run));
}, 120_000);

describe.each(languages)('$name', ({ name }) => {
  test('gives the documented verdict', () => {
    const expected = [
      ...Object.keys(VALID).map((title) => [title, expect.stringMatching(/^20.*Z$/)]),
      ...Object.entries(REFUSED).map(([title, [reason]]) => [title, reason]),
      ...UNUSABLE.map((members) => [JSON.stringify(members), 'unknown_key']),
    ];
    expect(expected.map(([title], index) => [title, verdicts.get(name)?.[index]])).toEqual(
      expected,
    );
  });

  test('gives the same verdict as TypeScript for 6,000 generated cases', () => {
    const found = verdicts.get(name)?.slice(FIXED.length) ?? [];
    const wanted = verdicts.get('TypeScript')?.slice(FIXED.length) ?? [];
    const differences = found.flatMap((verdict, index) =>
      verdict === wanted[index] ? [] : [{ verdict, wanted: wanted[index], ...GENERATED[index] }],
    );
    expect(found).toHaveLength(GENERATED.length);
    expect(differences.slice(0, 3)).toEqual([]);
  });
});

test('the generated cases have every verdict', () => {
  const found = verdicts.get('TypeScript')?.slice(FIXED.length) ?? [];
  const times = (start: string): number => found.filter((one) => one.startsWith(start)).length;
  // A time in the future would depend on the clock of the machine.
  const reasons = Object.keys(REASONS).filter((reason) => reason !== 'clock');
  for (const verdict of ['20', ...reasons]) expect(times(verdict), verdict).toBeGreaterThan(10);
});
