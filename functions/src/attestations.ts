// Owns attestations: their shape (specification, 2.1) and reading the mirrored ones of a wallet.

import * as z from 'zod';
import type { FirestoreReader } from './firestore.ts';
import type { Log } from './requestLog.ts';
import type { Wallet } from './wallet.ts';

const CONTEXT_HASH = /^[0-9a-fA-F]{64}$/;
const ZERO_CONTEXT_HASH = '0'.repeat(64);
// A cheap necessary condition of base58 over 32 bytes: a lookup may hold thousands of addresses.
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
export const addressSchema = z.string().regex(ADDRESS);

const utcMilliseconds = z.iso.datetime({ precision: 3 });

/** One attestation as it is answered: exactly the fields of section 2.1. */
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

const FIELDS = Object.keys(attestationSchema.shape);

const isType = (value: unknown): value is Attestation['attestationType'] =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 4;
const isContextHash = (value: unknown, type: number): value is string =>
  type === 0 ? value === ZERO_CONTEXT_HASH : typeof value === 'string' && CONTEXT_HASH.test(value);
const isStatus = (value: unknown): value is Attestation['status'] =>
  value === 'confirmed' || value === 'pending';
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && ADDRESS.test(value);

const isoWithZone = z.iso.datetime({ offset: true });
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;

type Unparsed = Readonly<Partial<Record<keyof Attestation, unknown>>>;

/** A stored instant (Firestore Timestamp or ISO 8601 string with its zone) in the answer's form. */
function isoTime(stored: unknown): string | undefined {
  const time = new Date(instantMs(stored));
  if (Number.isNaN(time.getTime())) return undefined;
  const iso = time.toISOString();
  // Longer outside of the years 0 to 9999, which the answer's form cannot tell.
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
 * Reads a mirrored document. It accepts what `attestationSchema` accepts, with the times as they
 * are stored, but by hand: a wallet may hold thousands, and the schema takes several times as long.
 *
 * @param stored the document's fields
 * @returns the attestation, or the name of the first field that does not fit section 2.1
 */
export function parseAttestation(
  stored: Readonly<Record<string, unknown>>,
): { attestation: Attestation } | { misfit: keyof Attestation } {
  const fields: Unparsed = stored;
  const { attestationType, contextHashHex, status, onChainAddress } = fields;
  if (!isType(attestationType)) return { misfit: 'attestationType' };
  if (!isContextHash(contextHashHex, attestationType)) return { misfit: 'contextHashHex' };
  if (!isStatus(status)) return { misfit: 'status' };
  if (!isAddress(onChainAddress)) return { misfit: 'onChainAddress' };
  const syncedAt = isoTime(fields.syncedAt);
  if (!syncedAt) return { misfit: 'syncedAt' };
  const createdAt = isoTime(fields.createdAt);
  if (!createdAt) return { misfit: 'createdAt' };
  return {
    attestation: { attestationType, contextHashHex, status, onChainAddress, syncedAt, createdAt },
  };
}

/** Orders by `createdAt`, then `onChainAddress`, so that two equal lookups give equal bytes. */
export function compareAttestations(a: Attestation, b: Attestation): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  if (a.onChainAddress === b.onChainAddress) return 0;
  return a.onChainAddress < b.onChainAddress ? -1 : 1;
}

/**
 * Reads the attestations that a wallet holds, in order. A document that does not fit section 2.1
 * is left out and logged with its path.
 */
export async function readAttestations(
  firestore: FirestoreReader,
  wallet: Wallet,
  log: Log,
): Promise<Attestation[]> {
  const query = { collection: 'attestations', field: 'wallet', equals: wallet, select: FIELDS };
  const attestations = await firestore.queryDocuments(query, (fields, path) => {
    const parsed = parseAttestation(fields);
    if ('attestation' in parsed) return parsed.attestation;
    log({
      severity: 'WARNING',
      message: 'attestation left out: the mirrored document does not fit',
      document: path,
      field: parsed.misfit,
    });
    return undefined;
  });
  return attestations.sort(compareAttestations);
}
