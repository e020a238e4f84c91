import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarize } from '../../functions/src/lookup/summary.ts';

const attestation = fc.record({
  attestationType: fc.integer({ min: 0, max: 4 }),
  status: fc.constantFrom('confirmed' as const, 'pending' as const),
});
const attestations = fc.array(attestation, { maxLength: 50 });

/** Section 2.2's definition of a count, calculated independently of the code. */
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
});
