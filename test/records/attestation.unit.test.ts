import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attestationSchema } from '../../functions/contract.ts';
import { compareAttestations } from '../../functions/src/attestations.ts';
import { type Attestation, parseAttestation } from '../../records/attestation.ts';
import { amount } from '../support/amount.ts';

const MS = Date.UTC(2026, 8, 3, 12, 0, 0, 5);
const timestamp = { toMillis: () => MS };
const stored = {
  wallet: 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2',
  attestationType: 1,
  contextHashHex: 'ab'.repeat(32),
  status: 'confirmed',
  onChainAddress: '2mB24PkQJBVp1quD7JpC7zWRCDuDbvhFCTNnvuLRubLE',
  createdAt: timestamp,
  syncedAt: timestamp,
};
/** Every field, also the optional ones, so that the parser must return each of them. */
const attestation = {
  attestationType: 1,
  contextHashHex: 'ab'.repeat(32),
  status: 'confirmed',
  onChainAddress: '2mB24PkQJBVp1quD7JpC7zWRCDuDbvhFCTNnvuLRubLE',
  syncedAt: '2026-09-03T12:00:00.005Z',
  createdAt: '2026-09-03T12:00:00.005Z',
} as const satisfies Required<Attestation>;

describe('parseAttestation', () => {
  test('returns exactly the fields of section 2.1', () => {
    expect(parseAttestation({ ...stored, extra: 'x' })).toStrictEqual({ attestation });
  });

  test('the context hash is returned in lower case', () => {
    const contextHashHex = 'aB'.repeat(32);
    expect(parseAttestation({ ...stored, contextHashHex })).toStrictEqual({ attestation });
  });

  const WRONG: Record<keyof typeof attestation, unknown[]> = {
    attestationType: [undefined, null, '1', -1, 5, 1.5, Number.NaN],
    contextHashHex: [undefined, 7, '', 'ab'.repeat(33), `${'ab'.repeat(31)}xy`],
    status: [undefined, 1, 'Confirmed', 'revoked', true],
    onChainAddress: [undefined, 7, '', '0'.repeat(44), '1'.repeat(31), '1'.repeat(45)],
    syncedAt: [undefined, null, 7, '', 'yesterday', '2026-09-03', '2026-09-03T12:00:00', {}],
    createdAt: [undefined, '2026-13-03T12:00Z', { toMillis: 7 }, { toMillis: () => Number.NaN }],
  };

  test.each(
    Object.entries(WRONG).flatMap(([field, values]) => values.map((value) => ({ field, value }))),
  )('$field $value is not valid, and the field is named', ({ field, value }) => {
    expect(parseAttestation({ ...stored, [field]: value })).toStrictEqual({ invalidField: field });
  });
});

/** Valid and invalid values for each rule, values of types that are never stored, and no value. */
const anyOf = (...values: unknown[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...values) },
    fc.anything(),
    fc.constant(undefined),
  );

test('a document is accepted exactly when its result is valid by section 2.1', () => {
  const instant = anyOf('2026-09-03T12:00:00.005Z');
  const document = fc.record({
    attestationType: anyOf(0, 1, 2, 3, 4, 5, -1, 1.5, -0, 2 ** 32),
    contextHashHex: anyOf('0'.repeat(64), 'ab'.repeat(32), 'g'.repeat(64), '0'.repeat(63)),
    status: anyOf('confirmed', 'pending', 'Pending'),
    onChainAddress: anyOf(attestation.onChainAddress, '1'.repeat(32), '1'.repeat(45), '0O'),
    syncedAt: instant,
    createdAt: instant,
  } satisfies Record<keyof Attestation, fc.Arbitrary<unknown>>);
  fc.assert(
    fc.property(document, (generated) => {
      const fields = Object.fromEntries(
        Object.entries(generated).filter(([, value]) => value !== undefined),
      );
      const { success, data } = attestationSchema.safeParse(fields);
      const parsed = parseAttestation(fields);
      expect('attestation' in parsed).toBe(success);
      if (success) expect(parsed).toEqual({ attestation: data });
    }),
    { numRuns: amount(20_000) },
  );
});

test('an ISO 8601 time is read in any zone, to the minute, second or millisecond', () => {
  const instant = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  const zone = fc.constantFrom(
    { suffix: 'Z', minutes: 0 },
    { suffix: '+05:30', minutes: 330 },
    { suffix: '-11:59', minutes: -719 },
  );
  // The number of characters to keep, and the unit of the last one.
  const precision = fc.constantFrom(
    { length: 16, stepMs: 60_000 },
    { length: 19, stepMs: 1_000 },
    { length: 23, stepMs: 1 },
  );
  fc.assert(
    fc.property(instant, zone, precision, (time, { suffix, minutes }, { length, stepMs }) => {
      const local = new Date(time.getTime() + minutes * 60_000).toISOString();
      const createdAt = `${local.slice(0, length)}${suffix}`;
      const ms = Math.floor(time.getTime() / stepMs) * stepMs;
      expect(parseAttestation({ ...stored, createdAt })).toMatchObject({
        attestation: { createdAt: new Date(ms).toISOString() },
      });
    }),
  );
});

test.each(['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])(
  'a time outside the years that the format can express is not valid: %s',
  (createdAt) => {
    expect(parseAttestation({ ...stored, createdAt })).toStrictEqual({ invalidField: 'createdAt' });
  },
);

test('attestations are ordered by createdAt, then onChainAddress', () => {
  const at = (createdAt: string, onChainAddress: string) => ({
    ...attestation,
    createdAt,
    onChainAddress,
  });
  const ordered = [at('2026-01-01', 'B'), at('2026-01-02', 'A'), at('2026-01-02', 'a')];
  const shuffled = fc.shuffledSubarray(ordered, { minLength: 3 });
  fc.assert(
    fc.property(shuffled, (list) => {
      expect(list.toSorted(compareAttestations)).toStrictEqual(ordered);
    }),
  );
  expect(compareAttestations(ordered[0] ?? attestation, ordered[0] ?? attestation)).toBe(0);
});
