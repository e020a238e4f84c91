// Tests records of API keys that an admin may have written by hand.

import { describe, expect, test } from 'vitest';
import { hashHeader } from '../../functions/src/admission.ts';
import { hashApiKey, keyEnd, keyId, keyStateAt, parseKeyRecord } from '../../records/apiKey.ts';
import { INVALID_RIGHTS } from './rights.ts';
import { WRONG } from './wrongValues.ts';

const NOW = Date.UTC(2026, 10, 26);
const timestamp = (ms: number) => ({ toMillis: () => ms });

/** What an invalid field means. Without a rate, the deployment's limit applies. */
const READ_AS = { modes: [], expiresAt: 0, readsPerSecond: undefined };

describe('a record', () => {
  test.each([undefined, null, 'true', 1, [true], {}])('with %j as active is revoked', (active) => {
    expect(keyStateAt(parseKeyRecord({ active }), NOW)).toBe('revoked');
  });

  test.for(WRONG.anything)('with %j in its other fields is valid without them', (value) => {
    const others = { project: value, hint: value, createdAt: value };
    const none = { project: undefined, hint: undefined, createdAt: undefined };
    expect(parseKeyRecord({ active: true, ...others })).toMatchObject({ active: true, ...none });
  });

  test.each(INVALID_RIGHTS)(
    'whose field %s has the invalid value %j allows no more',
    (name, value) => {
      expect(parseKeyRecord({ active: true, [name]: value })[name]).toEqual(READ_AS[name]);
    },
  );

  test.each([
    ['has no end', 'active', {}],
    ['ends in a millisecond', 'active', { expiresAt: timestamp(NOW + 1) }],
    ['ends now', 'ended', { expiresAt: timestamp(NOW) }],
    ['ends at a time that cannot be read', 'ended', { expiresAt: timestamp(Number.NaN) }],
    ['ends now and was revoked', 'revoked', { active: false, expiresAt: timestamp(NOW) }],
  ])('that %s is %s', (_, state, fields) => {
    expect(keyStateAt(parseKeyRecord({ active: true, ...fields }), NOW)).toBe(state);
  });
});

test('an end is brought forward, never put off', () => {
  const end = new Date(NOW);
  expect(keyEnd(parseKeyRecord({}), end)).toEqual({ expiresAt: end });
  expect(keyEnd(parseKeyRecord({ expiresAt: timestamp(NOW + 1) }), end)).toEqual({
    expiresAt: end,
  });
  expect(keyEnd(parseKeyRecord({ expiresAt: timestamp(NOW) }), end)).toBeUndefined();
});

test('a key is hashed with SHA-256 over its UTF-8 bytes, in lower-case hex', () => {
  // FIPS 180-2, appendix B.1.
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(hashApiKey('abc')).toBe(abc);
  expect(keyId(hashApiKey('abc'))).toBe('ba7816bf8f01');
  // As Node reads a header with the key's UTF-8.
  expect(hashHeader(Buffer.from('clé🙂').toString('latin1'))).toBe(hashApiKey('clé🙂'));
});
