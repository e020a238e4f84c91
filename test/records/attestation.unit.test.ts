import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ATTESTATION_FIELDS,
  type Attestation,
  compareAttestations,
  TYPE_NUMBERS,
} from '../../contract/result.ts';
import { attestationSchema } from '../../contract/schemas.ts';
import { dedupe, parseAttestation } from '../../records/attestation.ts';
import { WRONG } from './wrongValues.ts';

const MS = Date.UTC(2026, 8, 3, 12, 0, 0, 5);
const timestamp = { toMillis: () => MS };
/** Every field, also the optional ones, so that the parser must return each of them. */
const attestation = {
  attestationType: 1,
  contextHashHex: 'ab'.repeat(32),
  status: 'confirmed',
  onChainAddress: '2mB24PkQJBVp1quD7JpC7zWRCDuDbvhFCTNnvuLRubLE',
  syncedAt: '2026-09-03T12:00:00.005Z',
  createdAt: '2026-09-03T12:00:00.005Z',
} as const satisfies Required<Attestation>;
const stored = {
  ...attestation,
  wallet: 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2',
  createdAt: timestamp,
  syncedAt: timestamp,
};

/** Values of every kind. Each is wrong in most fields, and the contract says in which. */
const VALUES: readonly unknown[] = [
  ...[undefined, { toMillis: () => Number.NaN }, ...Object.values(WRONG).flat()],
  ...[...TYPE_NUMBERS, 'confirmed', 'pending', '0'.repeat(64), '1'.repeat(32)],
];

describe('parseAttestation', () => {
  test('returns exactly the fields of section 2.1', () => {
    expect(parseAttestation({ ...stored, extra: 'x' })).toStrictEqual({ attestation });
  });

  test('the context hash is returned in lower case', () => {
    const contextHashHex = 'aB'.repeat(32);
    expect(parseAttestation({ ...stored, contextHashHex })).toStrictEqual({ attestation });
  });

  test.each(ATTESTATION_FIELDS.flatMap((field) => VALUES.map((value) => ({ field, value }))))(
    '$field $value is accepted if it is valid by section 2.1, and the field is named if not',
    ({ field, value }) => {
      const { [field]: _, ...others } = attestation as Record<string, unknown>;
      const fields = { ...others, ...(value !== undefined && { [field]: value }) };
      const { success, data, error } = attestationSchema.safeParse(fields);
      const expected = success ? { attestation: data } : { invalidField: error.issues[0]?.path[0] };
      expect(parseAttestation(fields)).toStrictEqual(expected);
    },
  );
});

test.each([
  ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.000Z'],
  ['2026-12-31T23:59:60.25+0000', '2026-12-31T23:59:59.250Z'],
  ['2026-09-03T12:00:00.5Z', '2026-09-03T12:00:00.500Z'],
  ['2026-09-03T12:00:00,123999999Z', '2026-09-03T12:00:00.123Z'],
  ['2024-02-29t00:00-05', '2024-02-29T05:00:00.000Z'],
  ['2026-09-03T12:00Z', '2026-09-03T12:00:00.000Z'],
  ['2026-09-03t12:00:07z', '2026-09-03T12:00:07.000Z'],
  ['2026-09-03T12:00:07.009+05:30', '2026-09-03T06:30:07.009Z'],
  ['2026-09-03T12:00:07,009+0530', '2026-09-03T06:30:07.009Z'],
  ['2026-09-03T12:00:07-11:59', '2026-09-03T23:59:07.000Z'],
  ['2026-12-31T23:59:07-0030', '2027-01-01T00:29:07.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
])('%s is read as %s', (createdAt, read) => {
  expect(parseAttestation({ ...stored, createdAt })).toMatchObject({
    attestation: { createdAt: read },
  });
});

test.each([
  ...['2026-02-29T00:00:00Z', '2026-04-31T00:00:00+00', '2026-09-00T00:00:00Z'],
  ...['2026-09-03T24:00:00Z', '2026-09-03T12:60:00+0000', '2026-09-03T12:00:61Z'],
  ...['2026-09-03T12:00:00+24:00', '2026-09-03T12:00:00+0560', '2026-09-03T12:00:00+5'],
  ...['2026-09-03T12:00:00+05:', '2026-09-03T12:00:00+053', '2026-09-03T12:00:00'],
  ...['2026-09-03T12:00.5Z', '2026-09-03T12:00:00.Z', '2026-09-03 12:00:00Z', '2026-W36-4T12:00Z'],
  // In UTC, their years cannot be expressed in the format.
  ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
])('%s is not a time', (createdAt) => {
  expect(parseAttestation({ ...stored, createdAt })).toStrictEqual({ invalidField: 'createdAt' });
});

test('attestations are ordered by createdAt, then onChainAddress', () => {
  const at = (createdAt: string, onChainAddress: string) => ({
    ...attestation,
    createdAt,
    onChainAddress,
  });
  const ordered = [at('2026-01-01', 'B'), at('2026-01-02', 'A'), at('2026-01-02', 'a')];
  expect(ordered.toReversed().toSorted(compareAttestations)).toStrictEqual(ordered);
  expect(compareAttestations(ordered[0] ?? attestation, ordered[0] ?? attestation)).toBe(0);
});

const mirrored = (
  id: string,
  status: 'confirmed' | 'pending',
  syncedAt: string,
  onChainAddress = 'A',
) => ({ path: `attestations/${id}`, attestation: { onChainAddress, status, syncedAt } });

/** Documents of one attestation. Each takes precedence over the later ones. */
const ORDERED = [
  mirrored('d', 'confirmed', '2026-01-02'),
  mirrored('e', 'confirmed', '2026-01-02'),
  mirrored('a', 'confirmed', '2026-01-01'),
  mirrored('c', 'pending', '2026-01-03'),
  mirrored('f', 'pending', '2026-01-03'),
  mirrored('b', 'pending', '2026-01-02'),
];
const OTHER = mirrored('g', 'pending', '2026-01-01', 'B');

test('keeps one document per address by the rule, and returns every other one as a copy of it', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ORDERED, { minLength: 1 }), (list) => {
      const keptInstead = ORDERED.find((document) => list.includes(document));
      const others = list.filter((document) => document !== keptInstead);
      const { kept, copies } = dedupe([...list, OTHER]);
      expect(kept).toEqual([keptInstead, OTHER]);
      expect(copies).toHaveLength(others.length);
      expect(copies).toEqual(expect.arrayContaining(others.map((copy) => ({ copy, keptInstead }))));
    }),
  );
});
