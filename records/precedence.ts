// Decides which of several mirrored documents with the same `onChainAddress` is used. They all
// represent one attestation. The endpoint and the audit both use this file.

import type { Attestation } from './attestation.ts';

/** A valid mirrored document, with its path. */
export interface MirroredAttestation {
  /** All paths are in one collection, so they sort like the document ids. */
  readonly path: string;
  readonly attestation: Pick<Attestation, 'onChainAddress' | 'status' | 'syncedAt'>;
}

/** Orders texts by their code units, for `Array.sort`. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Confirmed precedes pending, as in the alphabet, then the latest `syncedAt` comes first, then the smallest path. */
const comparePrecedence = (a: MirroredAttestation, b: MirroredAttestation): number =>
  compareTexts(a.attestation.status, b.attestation.status) ||
  compareTexts(b.attestation.syncedAt, a.attestation.syncedAt) ||
  compareTexts(a.path, b.path);

/**
 * Keeps one document for each `onChainAddress`, and separates the others as its copies.
 *
 * @param documents in any order; the kept ones are not sorted
 * @returns the kept documents, and each copy with the document that was kept instead
 */
export function dedupe<Document extends MirroredAttestation>(
  documents: readonly Document[],
): { kept: Document[]; copies: { copy: Document; keptInstead: Document }[] } {
  const byAddress = new Map<string, Document>();
  const others: Document[] = [];
  for (const document of documents) {
    const { onChainAddress } = document.attestation;
    const other = byAddress.get(onChainAddress);
    const isFirst = other === undefined || comparePrecedence(document, other) < 0;
    if (isFirst) byAddress.set(onChainAddress, document);
    if (other !== undefined) others.push(isFirst ? other : document);
  }
  const copies = others.flatMap((copy) => {
    const keptInstead = byAddress.get(copy.attestation.onChainAddress);
    return keptInstead ? [{ copy, keptInstead }] : [];
  });
  return { kept: [...byAddress.values()], copies };
}
