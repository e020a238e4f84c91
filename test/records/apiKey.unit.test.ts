// Tests records of API keys that an admin may have written by hand. test/http/keyRights.test.ts uses valid rights.

import { describe, expect, test } from 'vitest';
import { hashHeader } from '../../functions/src/admission.ts';
import { hashApiKey, keyEnd, keyId, keyStateAt, parseKeyRecord } from '../../records/apiKey.ts';

const NOW = Date.UTC(2026, 10, 26);
const timestamp = (ms: number) => ({ toMillis: () => ms });

describe('a record', () => {
  test.each([undefined, null, 'true', 1, [true], {}])('with %j as active is revoked', (active) => {
    expect(keyStateAt(parseKeyRecord({ active }), NOW)).toBe('revoked');
  });

  test.each([null, 7.5, true, [1, 'x'], { toMillis: 'x' }])(
    'with %j in its other fields is valid without them',
    (value) => {
      const others = { project: value, hint: value, createdAt: value };
      const none = { project: undefined, hint: undefined, createdAt: undefined };
      expect(parseKeyRecord({ active: true, ...others })).toMatchObject({ active: true, ...none });
    },
  );

  test.each([
    ['text', 'wallet'],
    ['null', null],
    ['a map', { 0: 'wallet' }],
    ['an unknown mode', ['wallet', 'phone']],
    ['a mode in capitals', ['Wallet']],
    ['a number', ['wallet', 0]],
    ['nothing', []],
  ])('with %s as modes may use none', (_, modes) => {
    expect(parseKeyRecord({ active: true, modes }).modes).toEqual([]);
  });

  test.each([
    ['text', '2099-01-01T00:00:00Z'],
    ['a number', NOW + 1_000],
    ['null', null],
    ['a time that cannot be read', timestamp(Number.NaN)],
  ])('with %s as end has ended', (_, expiresAt) => {
    expect(keyStateAt(parseKeyRecord({ active: true, expiresAt }), NOW)).toBe('ended');
  });

  test.each([
    ['text', '500'],
    ['null', null],
    ['zero', 0],
    ['a negative number', -1],
    ['a fraction', 0.5],
    ['more than a number holds exactly', 2 ** 53],
    ['infinity', Infinity],
    ['NaN', Number.NaN],
  ])("with %s as reads per second has the deployment's limit", (_, readsPerSecond) => {
    expect(parseKeyRecord({ active: true, readsPerSecond }).readsPerSecond).toBeUndefined();
  });
});

test('a revoked key stays revoked after its end', () => {
  const record = parseKeyRecord({ active: false, expiresAt: timestamp(NOW - 1) });
  expect(keyStateAt(record, NOW)).toBe('revoked');
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
