// Mirrored attestations (specification, 2.1): parsing their documents, and which document is used if several have the same
// `onChainAddress`. The endpoint and the audit both use this file.

import {
  ADDRESS_PATTERN,
  type Attestation,
  compareTexts,
  TYPE_NUMBERS,
  ZERO_CONTEXT_HASH,
} from '../contract/result.ts';
import { Instant, parseTime, type Stored, storedTimeMs } from './storedValues.ts';

/** Stored hashes may have capital letters. */
const STORED_CONTEXT_HASH = /^[0-9a-fA-F]{64}$/;
const ZERO_HASH = new RegExp(`^${ZERO_CONTEXT_HASH}$`);

const isType = (value: unknown): value is number =>
  typeof value === 'number' && TYPE_NUMBERS.includes(value);
const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/**
 * Converts a stored time (a Firestore Timestamp, or an ISO 8601 string with a time zone) to the
 * response's format.
 */
function toIsoMilliseconds(stored: unknown): string | undefined {
  if (stored instanceof Instant) return stored.iso;
  const ms = typeof stored === 'string' ? parseTime(stored) : storedTimeMs(stored);
  const iso: string | null = new Date(ms ?? NaN).toJSON();
  // Null if the time is not valid, and longer for years outside 0 to 9999, which the response's format cannot express.
  return iso?.length === ISO_LENGTH ? iso : undefined;
}

/**
 * Parses a mirrored document. It accepts the same values as the contract's schema, except that times
 * are as stored and hex digits may have either case. It does not use the schema, because that takes
 * several times as long and a wallet may have thousands of documents.
 *
 * @param stored the document's fields
 * @returns the attestation in the response's format, or the name of the first field that violates section 2.1
 */
export function parseAttestation(
  stored: Stored,
): { attestation: Attestation } | { invalidField: keyof Attestation } {
  const { attestationType, contextHashHex, status, onChainAddress } = stored;
  if (!isType(attestationType)) return { invalidField: 'attestationType' };
  const hash = attestationType === 0 ? ZERO_HASH : STORED_CONTEXT_HASH;
  if (!isText(contextHashHex, hash)) return { invalidField: 'contextHashHex' };
  if (status !== 'confirmed' && status !== 'pending') return { invalidField: 'status' };
  if (!isText(onChainAddress, ADDRESS_PATTERN)) return { invalidField: 'onChainAddress' };
  const syncedAt = toIsoMilliseconds(stored['syncedAt']);
  if (!syncedAt) return { invalidField: 'syncedAt' };
  const createdAt = toIsoMilliseconds(stored['createdAt']);
  if (!createdAt) return { invalidField: 'createdAt' };
  return {
    attestation: {
      attestationType,
      contextHashHex: contextHashHex.toLowerCase(),
      status,
      onChainAddress,
      syncedAt,
      createdAt,
    },
  };
}

/** A valid mirrored document, with its path. */
export interface MirroredAttestation {
  /** All paths are in one collection, so they sort like the document ids. */
  readonly path: string;
  readonly attestation: Pick<Attestation, 'onChainAddress' | 'status' | 'syncedAt'>;
}

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
