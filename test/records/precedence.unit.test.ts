import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dedupe } from '../../records/attestation.ts';

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
