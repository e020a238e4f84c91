import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Attestation } from '../../records/attestation.ts';
import {
  comparePrecedence,
  type MirroredAttestation,
  separateCopies,
} from '../../records/precedence.ts';

const document = (id: string, status: Attestation['status'], syncedAt: string) => ({
  path: `attestations/${id}`,
  attestation: { onChainAddress: 'A', status, syncedAt },
});

test.each([
  {
    rule: 'a confirmed one before a pending one that was synced later',
    first: document('b', 'confirmed', '2026-01-01T00:00:00.000Z'),
    second: document('a', 'pending', '2026-01-02T00:00:00.000Z'),
  },
  {
    rule: 'the latest syncedAt before the smaller id',
    first: document('b', 'confirmed', '2026-01-01T00:00:00.001Z'),
    second: document('a', 'confirmed', '2026-01-01T00:00:00.000Z'),
  },
  {
    rule: 'the smallest id of two that are alike',
    first: document('a', 'pending', '2026-01-01T00:00:00.000Z'),
    second: document('b', 'pending', '2026-01-01T00:00:00.000Z'),
  },
])('$rule', ({ first, second }) => {
  expect(comparePrecedence(first, second)).toBeLessThan(0);
  expect(comparePrecedence(second, first)).toBeGreaterThan(0);
  expect(comparePrecedence(first, first)).toBe(0);
  expect(separateCopies([second, first])).toStrictEqual({
    standing: [first],
    copies: [{ copy: second, standing: first }],
  });
});

/** The rule as the contract words it, step by step. @returns the path of the one that stands */
function pathThatStands(group: readonly MirroredAttestation[]): string | undefined {
  const confirmed = group.filter(({ attestation }) => attestation.status === 'confirmed');
  const eligible = confirmed.length > 0 ? confirmed : group;
  const latest = eligible
    .map(({ attestation }) => attestation.syncedAt)
    .toSorted()
    .at(-1);
  return eligible
    .filter(({ attestation }) => attestation.syncedAt === latest)
    .map(({ path }) => path)
    .toSorted()[0];
}

const documents: fc.Arbitrary<MirroredAttestation[]> = fc.uniqueArray(
  fc.record({
    path: fc.string({ minLength: 1, maxLength: 3 }).map((id) => `attestations/${id}`),
    attestation: fc.record({
      onChainAddress: fc.constantFrom('A', 'B', 'C'),
      status: fc.constantFrom('confirmed', 'pending'),
      syncedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    }),
  }),
  { selector: ({ path }) => path, maxLength: 12 },
);

test('one of each address stands, by the rule, and every other is beside it', () => {
  fc.assert(
    fc.property(documents, (list) => {
      const groups = Map.groupBy(list, ({ attestation }) => attestation.onChainAddress);
      const expected = new Map([...groups].map(([address, of]) => [address, pathThatStands(of)]));
      const { standing, copies } = separateCopies(list);
      expect(
        new Map(standing.map(({ path, attestation }) => [attestation.onChainAddress, path])),
      ).toEqual(expected);
      expect(standing.length + copies.length).toBe(list.length);
      for (const { copy, standing: stands } of copies) {
        expect(stands.path).toBe(expected.get(copy.attestation.onChainAddress));
        expect(copy.path).not.toBe(stands.path);
      }
    }),
    { numRuns: 1_000 },
  );
});
