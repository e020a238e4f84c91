// Reads the mirrored attestations of a wallet, in the order in which they are returned.

import {
  ATTESTATION_FIELDS,
  type Attestation,
  parseAttestation,
} from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { FirestoreReader } from './firestore/reader.ts';
import type { Log } from './requestLog.ts';

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
  const query = {
    collection: COLLECTIONS.attestations,
    field: 'wallet',
    equals: wallet,
    select: ATTESTATION_FIELDS,
  };
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
