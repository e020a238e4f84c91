// Which of several mirrored documents of one `onChainAddress` stands. They are one attestation, however
// often it was written. Pure: the endpoint's results and the audit's findings follow from it.

import type { Attestation } from './attestation.ts';

/** A valid mirrored document, with the path that it is stored under. */
export interface MirroredAttestation {
  /** Of one collection, so that paths order as the document ids do. */
  readonly path: string;
  readonly attestation: Pick<Attestation, 'onChainAddress' | 'status' | 'syncedAt'>;
}

/**
 * Orders the documents of one `onChainAddress`, the one that stands first: a confirmed one before a
 * pending one, then the latest `syncedAt`, then the smallest document id.
 *
 * @returns as for `Array.sort`; 0 only for a document and itself
 */
export function comparePrecedence(a: MirroredAttestation, b: MirroredAttestation): number {
  if (a.attestation.status !== b.attestation.status) {
    return a.attestation.status === 'confirmed' ? -1 : 1;
  }
  if (a.attestation.syncedAt !== b.attestation.syncedAt) {
    return a.attestation.syncedAt > b.attestation.syncedAt ? -1 : 1;
  }
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}

/**
 * Separates the documents that stand, one for each `onChainAddress`, from the others.
 *
 * @param documents in any order; those that stand keep no particular one
 * @returns each other document beside the one that stands for it
 */
export function separateCopies<Document extends MirroredAttestation>(
  documents: readonly Document[],
): { standing: Document[]; copies: { copy: Document; standing: Document }[] } {
  const byAddress = new Map<string, Document>();
  const others: Document[] = [];
  for (const document of documents) {
    const { onChainAddress } = document.attestation;
    const other = byAddress.get(onChainAddress);
    const stands = other === undefined || comparePrecedence(document, other) < 0;
    if (stands) byAddress.set(onChainAddress, document);
    if (other !== undefined) others.push(stands ? other : document);
  }
  const copies = others.flatMap((copy) => {
    const standing = byAddress.get(copy.attestation.onChainAddress);
    return standing ? [{ copy, standing }] : [];
  });
  return { standing: [...byAddress.values()], copies };
}
