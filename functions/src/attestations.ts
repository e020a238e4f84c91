// Owns attestations: their shape (specification, 2.1) and reading the mirrored ones of a wallet.

import type { Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import type { Log } from './requestLog.ts';
import type { Wallet } from './wallet.ts';

const CONTEXT_HASH = /^[0-9a-fA-F]{64}$/;
const ZERO_CONTEXT_HASH = '0'.repeat(64);
// A cheap necessary condition of base58 over 32 bytes: a lookup may hold thousands of addresses.
export const addressSchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

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
const isoWithZone = z.iso.datetime({ offset: true });

/** A stored instant (Firestore Timestamp or ISO 8601 string with its zone) in the answer's form. */
function isoTime(stored: unknown): string | undefined {
  const time = new Date(instantMs(stored));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
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
 * Reads a mirrored document.
 *
 * @param stored the document's fields
 * @returns the attestation, or the name of the first field that does not fit section 2.1
 */
export function parseAttestation(
  stored: Readonly<Record<string, unknown>>,
): { attestation: Attestation } | { misfit: string } {
  const parsed = attestationSchema.safeParse({
    ...stored,
    syncedAt: isoTime(stored['syncedAt']),
    createdAt: isoTime(stored['createdAt']),
  });
  if (parsed.success) return { attestation: parsed.data };
  return { misfit: String(parsed.error.issues[0]?.path[0]) };
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
  db: Firestore,
  wallet: Wallet,
  log: Log,
): Promise<Attestation[]> {
  const mirrored = await db
    .collection('attestations')
    .where('wallet', '==', wallet)
    .select(...FIELDS)
    .get();
  const attestations: Attestation[] = [];
  for (const document of mirrored.docs) {
    const parsed = parseAttestation(document.data());
    if ('attestation' in parsed) attestations.push(parsed.attestation);
    else {
      log({
        severity: 'WARNING',
        message: 'attestation left out: the mirrored document does not fit',
        document: document.ref.path,
        field: parsed.misfit,
      });
    }
  }
  return attestations.sort(compareAttestations);
}
