// Attestations (specification, 2.1 and 2.3): their types, their fields, and parsing mirrored documents.

import { parseTime, type Stored, storedIso, storedTimeMs } from './storedValues.ts';
import { ADDRESS_PATTERN } from './wallet.ts';

const PROPOSAL = "the address of the proposal's account";

/**
 * The attestation types (specification, 2.3), with what an attestation says about its holder, and what its context hash
 * is. A new type is a new row.
 */
export const ATTESTATION_TYPES = {
  VERIFIED_HUMAN: { number: 0, meaning: 'is a verified human', contextHash: '32 zero bytes' },
  VOTED: { number: 1, meaning: 'voted on a proposal', contextHash: PROPOSAL },
  SUPPORTED_PROPOSAL: { number: 2, meaning: 'signed for a proposal', contextHash: PROPOSAL },
  RECEIVED_SHARE: {
    number: 3,
    meaning: 'received a share in a distribution',
    contextHash: 'no documented meaning',
  },
  POLL_VOTED: {
    number: 4,
    meaning: 'voted in a public poll',
    contextHash: "the poll vote's nullifier hash",
  },
} as const satisfies Record<string, { number: number; meaning: string; contextHash: string }>;

/** In ascending order. */
export const TYPE_NUMBERS: readonly number[] = Object.values(ATTESTATION_TYPES).map(
  ({ number }) => number,
);

/** An attestation in a response, with exactly the fields of section 2.1. */
export interface Attestation {
  /** One of `TYPE_NUMBERS`. */
  attestationType: number;
  /** 64 lower-case hex digits; all zero for type 0. */
  contextHashHex: string;
  status: 'confirmed' | 'pending';
  onChainAddress: string;
  /** ISO 8601 in UTC with milliseconds, as is `createdAt`. */
  syncedAt: string;
  createdAt: string;
}

/** The names of an attestation's fields, in the order of section 2.1. */
export const ATTESTATION_FIELDS = Object.keys({
  attestationType: true,
  contextHashHex: true,
  status: true,
  onChainAddress: true,
  syncedAt: true,
  createdAt: true,
} satisfies Record<keyof Attestation, true>);

/** Stored hashes may have capital letters. */
const STORED_CONTEXT_HASH = /^[0-9a-fA-F]{64}$/;
export const ZERO_CONTEXT_HASH = '0'.repeat(64);
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
  const text = storedIso(stored);
  if (text !== undefined) return text;
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
