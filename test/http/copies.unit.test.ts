// Tests through the endpoint that an attestation counts once, whatever the number and order of its documents.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEndpoint } from '../../functions/src/lookup/endpoint.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { amount } from '../support/amount.ts';

interface Mirrored {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @returns the body of a lookup over these documents, and the paths that were logged as left out */
async function lookUp(documents: readonly Mirrored[]): Promise<{ body: string; paths: unknown[] }> {
  const paths: unknown[] = [];
  const endpoint = createEndpoint({
    firestore: {
      readDocument: async () => ({ active: true }),
      queryDocuments: async (_, read) =>
        documents
          .map(({ id, fields }) => read(fields, `attestations/${id}`))
          .filter((result) => result !== undefined),
    },
    accounts: { findByEmail: () => Promise.reject(new Error('not called in wallet mode')) },
    now: Date.now,
    log: ({ document }) => document !== undefined && paths.push(document),
  });
  const { body } = await endpoint({
    method: 'GET',
    target: { path: '/', query: `wallet=${DEMONSTRATION.wallet}` },
    apiKey: DEMONSTRATION.key,
    requestId: 'any',
  });
  return { body, paths };
}

const time = (...days: number[]) =>
  fc.constantFrom(...days.map((day) => `2026-09-0${day}T12:00:00.005Z`));

/** The documents of a few attestations. Documents with one address may differ in every field. */
const documents = fc.uniqueArray(
  fc.record({
    id: fc.nat(99).map(String),
    fields: fc
      .record({
        attestationType: fc.constantFrom(1, 2, 4),
        contextHashHex: fc.constantFrom('ab'.repeat(32), 'AB'.repeat(32)),
        status: fc.constantFrom('confirmed', 'pending'),
        onChainAddress: fc.constantFrom('1', '2', '3').map((end) => end.padStart(40, 'A')),
        createdAt: time(1, 2),
        syncedAt: time(3, 4),
      })
      .map((fields) => ({
        ...attestationRecord({ wallet: DEMONSTRATION.wallet, attestationType: 1 }),
        ...fields,
      })),
  }),
  { selector: ({ id }) => id, maxLength: 8 },
);

/** A set of documents, and the same set with copies of each in any order. The copies have larger ids. */
const multisets = documents.chain((set) =>
  fc
    .array(fc.nat(4), { minLength: set.length, maxLength: set.length })
    .map((counts) =>
      set.flatMap((document, index) => [
        document,
        ...Array.from({ length: counts[index] ?? 0 }, (_, copy) => ({
          ...document,
          id: `~${document.id}~${copy}`,
        })),
      ]),
    )
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }))
    .map((copies) => ({ set, copies })),
);

test('copies in any number and order do not change the result, and are logged', async () => {
  await fc.assert(
    fc.asyncProperty(multisets, async ({ set, copies }) => {
      const { body } = await lookUp(set);
      const ofCopies = await lookUp(copies);
      expect(ofCopies.body).toBe(body);
      const { attestations, count } = JSON.parse(body);
      const addresses = new Set(set.map(({ fields }) => fields.onChainAddress));
      expect(count).toBe(addresses.size);
      expect(attestations).toHaveLength(addresses.size);
      expect(new Set(ofCopies.paths).size).toBe(copies.length - addresses.size);
      expect(ofCopies.paths).toHaveLength(copies.length - addresses.size);
    }),
    { numRuns: amount(1_000) },
  );
});
