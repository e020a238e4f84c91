import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dedupe, type MirroredAttestation } from '../../records/precedence.ts';

/** The contract's rule, step by step. @returns the path of the document to keep */
function pathToKeep(group: readonly MirroredAttestation[]): string | undefined {
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

test('keeps one document per address by the rule, and returns every other one as a copy of it', () => {
  fc.assert(
    fc.property(documents, (list) => {
      const groups = Map.groupBy(list, ({ attestation }) => attestation.onChainAddress);
      const expected = new Map([...groups].map(([address, group]) => [address, pathToKeep(group)]));
      const { kept, copies } = dedupe(list);
      expect(
        new Map(kept.map(({ path, attestation }) => [attestation.onChainAddress, path])),
      ).toEqual(expected);
      expect(kept.length + copies.length).toBe(list.length);
      for (const { copy, keptInstead } of copies) {
        expect(keptInstead.path).toBe(expected.get(copy.attestation.onChainAddress));
        expect(copy.path).not.toBe(keptInstead.path);
      }
    }),
    { numRuns: 1_000 },
  );
});
