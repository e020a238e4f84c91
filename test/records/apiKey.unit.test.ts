// Tests records of API keys that an admin may have written by hand.

import { describe, expect, test } from 'vitest';
import { hashHeader } from '../../functions/src/admission.ts';
import {
  describeRights,
  hashApiKey,
  keyId,
  keyStateAt,
  parseKeyRecord,
  parseStoredKey,
  shownState,
} from '../../records/apiKey.ts';
import { differences } from '../../records/keyChanges.ts';
import { describeUse, isUnused, parseKeyUse } from '../../records/keyUse.ts';
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

const ID = 'ab'.repeat(32);

test.each(INVALID_RIGHTS)('the field %s with the value %j is named as wrong', (name, value) => {
  const key = parseStoredKey(ID, { active: true, [name]: value });
  expect(Object.entries(key.faults)).toEqual([[name, expect.stringContaining(`“${name}”`)]]);
  // It can be replaced by what it is taken for.
  expect(differences(key, { [name]: key[name] })).toHaveProperty(name);
});

test.each([
  ['unusable', 'poh_a-key', { active: true }, ['id']],
  ['unusable', ID.toUpperCase(), { active: true }, ['id']],
  ['unusable', ID, { active: 'true' }, ['active']],
  ['unusable', ID, { active: true, expiresAt: 'x' }, ['expiresAt']],
  ['revoked', ID, { active: false, expiresAt: 'x' }, ['expiresAt']],
  ['active', ID, { active: true, modes: [] }, ['modes']],
  ['active', ID, { active: true, expiresAt: timestamp(NOW + 1), modes: ['email'] }, []],
])('to admins, a key is %s: %s, %j', (state, id, stored, faults) => {
  const key = parseStoredKey(id, stored);
  expect([shownState(key, NOW), Object.keys(key.faults)]).toEqual([state, faults]);
  // An id that is no hash may be the key itself.
  expect(key.id).toBe(id === ID ? 'abababababab' : `${id.slice(0, 4)}…`);
});

test('rights and use are put into words', () => {
  const { modes } = parseKeyRecord({ active: true, modes: ['token', 'wallet', 'token'] });
  const limited = { modes, readsPerSecond: 5, expiresAt: NOW };
  expect(describeRights({}, NOW, String)).toBe('all lookups');
  expect(describeRights(limited, NOW, () => 'now')).toBe(
    'lookups only by wallet or token, 5 reads a second, ended now',
  );
  for (const [stored, words] of [
    [undefined, 'no figures of its use yet'],
    [{ lookups: 'x', lastUsedOn: 7 }, 'not used in 30 days'],
    [{ lookups: 0, lastUsedOn: '2026-09-30' }, 'not used in 30 days, last on 2026-09-30'],
    [{ lookups: 1, lastUsedOn: 'x' }, '1 lookup in 30 days'],
    [{ lookups: 1, lastUsedOn: '2026-11-27' }, 'last used 27 Nov, 1 lookup in 30 days'],
    [
      { lookups: 1_204, refused: 3, lastUsedOn: '2026-11-27' },
      'last used 27 Nov, 1,204 lookups in 30 days, 3 refused',
    ],
  ] as const) {
    expect(describeUse(stored && parseKeyUse(stored))).toBe(words);
  }
  const use = parseKeyUse({ lookups: 0, asOf: timestamp(NOW) });
  expect([undefined, use, { ...use, lookups: 1 }].map(isUnused)).toEqual([false, true, false]);
  expect(describeUse(use, () => 'now')).toBe('not used in 30 days, as of now');
});

test('a key is hashed with SHA-256 over its UTF-8 bytes, in lower-case hex', () => {
  // FIPS 180-2, appendix B.1.
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(hashApiKey('abc')).toBe(abc);
  expect(keyId(hashApiKey('abc'))).toBe('ba7816bf8f01');
  // As Node reads a header with the key's UTF-8.
  expect(hashHeader(Buffer.from('clé🙂').toString('latin1'))).toBe(hashApiKey('clé🙂'));
});
