// Attestations (specification, 2.1 and 2.3): their types, their shape, and parsing a mirrored document.

import * as z from 'zod';
import { ADDRESS_PATTERN, addressSchema } from './wallet.ts';

/** The attestation types (specification, 2.3). Types 3 and 4 have no flag. */
export const ATTESTATION_TYPE = {
  VERIFIED_HUMAN: 0,
  VOTED: 1,
  SUPPORTED_PROPOSAL: 2,
  RECEIVED_SHARE: 3,
  POLL_VOTED: 4,
} as const;

const CONTEXT_HASH = /^[0-9a-f]{64}$/;
/** As it may be stored: capitals are the same bytes. */
const STORED_CONTEXT_HASH = /^[0-9a-fA-F]{64}$/;
const ZERO_CONTEXT_HASH = '0'.repeat(64);

const utcMilliseconds = z.iso.datetime({ precision: 3 });

/** One attestation as it is returned: exactly the fields of section 2.1. */
export const attestationSchema = z
  .object({
    attestationType: z.int().min(0).max(4),
    contextHashHex: z.string().regex(CONTEXT_HASH),
    status: z.enum(['confirmed', 'pending']),
    onChainAddress: addressSchema,
    syncedAt: utcMilliseconds,
    createdAt: utcMilliseconds,
  })
  .refine((a) => a.attestationType !== 0 || a.contextHashHex === ZERO_CONTEXT_HASH, {
    path: ['contextHashHex'],
  });

export type Attestation = z.infer<typeof attestationSchema>;

/** The names of an attestation's fields, in the order of section 2.1. */
export const ATTESTATION_FIELDS = Object.keys(attestationSchema.shape);

const isType = (value: unknown): value is Attestation['attestationType'] =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 4;
const isContextHash = (value: unknown, type: number): value is string =>
  type === 0
    ? value === ZERO_CONTEXT_HASH
    : typeof value === 'string' && STORED_CONTEXT_HASH.test(value);
const isStatus = (value: unknown): value is Attestation['status'] =>
  value === 'confirmed' || value === 'pending';
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && ADDRESS_PATTERN.test(value);

/** ISO 8601 with its zone; its seconds may be left out. */
const isoWithZone = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;

type Unparsed = Readonly<Partial<Record<keyof Attestation, unknown>>>;

/** A stored instant (Firestore Timestamp or ISO 8601 string with its zone) in the form of the response. */
function toIsoMilliseconds(stored: unknown): string | undefined {
  const time = new Date(instantMs(stored));
  if (Number.isNaN(time.getTime())) return undefined;
  const iso = time.toISOString();
  // Longer outside of the years 0 to 9999, which that form cannot express.
  return iso.length === ISO_LENGTH ? iso : undefined;
}

/** @returns milliseconds since the epoch, NaN when it is no instant */
function instantMs(stored: unknown): number {
  if (typeof stored === 'string') {
    return isoWithZone.safeParse(stored).success ? Date.parse(stored) : Number.NaN;
  }
  const timestamp = stored as { toMillis?: unknown } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : Number.NaN;
}

/**
 * Parses a mirrored document. It accepts what `attestationSchema` accepts, with the times as they
 * are stored and hex digits in either case, but by hand: a wallet may have thousands, and the schema
 * takes several times as long.
 *
 * @param stored the document's fields
 * @returns the attestation as it is returned (times in UTC with milliseconds, hex in lower case), or the
 *   name of the first field that does not fit section 2.1
 */
export function parseAttestation(
  stored: Readonly<Record<string, unknown>>,
): { attestation: Attestation } | { invalidField: keyof Attestation } {
  const fields: Unparsed = stored;
  const { attestationType, contextHashHex, status, onChainAddress } = fields;
  if (!isType(attestationType)) return { invalidField: 'attestationType' };
  if (!isContextHash(contextHashHex, attestationType)) return { invalidField: 'contextHashHex' };
  if (!isStatus(status)) return { invalidField: 'status' };
  if (!isAddress(onChainAddress)) return { invalidField: 'onChainAddress' };
  const syncedAt = toIsoMilliseconds(fields.syncedAt);
  if (!syncedAt) return { invalidField: 'syncedAt' };
  const createdAt = toIsoMilliseconds(fields.createdAt);
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
