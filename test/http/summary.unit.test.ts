import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarize } from '../../functions/src/lookup/summary.ts';

const attestation = fc.record({
  attestationType: fc.integer({ min: 0, max: 4 }),
  status: fc.constantFrom('confirmed' as const, 'pending' as const),
});
const attestations = fc.array(attestation, { maxLength: 50 });

/** The definition in the words of section 2.2, independent of the code's single pass. */
const confirmedOfType = (
  list: readonly { attestationType: number; status: string }[],
  type: number,
) => list.filter((a) => a.status === 'confirmed').filter((a) => a.attestationType === type).length;

describe('summarize', () => {
  test('an empty list sets no flag', () => {
    expect(summarize([])).toStrictEqual({
      hasVerifiedHuman: false,
      hasVoted: false,
      votedCount: 0,
      hasSupportedProposal: false,
      supportedCount: 0,
    });
  });

  test('agrees with the definition for any list', () => {
    fc.assert(
      fc.property(attestations, (list) => {
        expect(summarize(list)).toStrictEqual({
          hasVerifiedHuman: confirmedOfType(list, 0) >= 1,
          hasVoted: confirmedOfType(list, 1) >= 1,
          votedCount: confirmedOfType(list, 1),
          hasSupportedProposal: confirmedOfType(list, 2) >= 1,
          supportedCount: confirmedOfType(list, 2),
        });
      }),
    );
  });

  test('order never matters', () => {
    const shuffled = attestations.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(summarize(other)).toStrictEqual(summarize(list));
      }),
    );
  });

  test('pending attestations and types 3 and 4 change nothing', () => {
    const silent = fc.oneof(
      fc.record({
        attestationType: fc.integer({ min: 0, max: 4 }),
        status: fc.constant('pending'),
      }),
      fc.record({ attestationType: fc.constantFrom(3, 4), status: fc.constant('confirmed') }),
    ) as fc.Arbitrary<{ attestationType: number; status: 'confirmed' | 'pending' }>;
    fc.assert(
      fc.property(attestations, fc.array(silent), (list, more) => {
        expect(summarize([...list, ...more])).toStrictEqual(summarize(list));
      }),
    );
  });
});
