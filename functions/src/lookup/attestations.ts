// Reads the mirrored attestations of a wallet, in the order of the response.

import {
  ATTESTATION_FIELDS,
  type Attestation,
  parseAttestation,
} from '../../../records/attestation.ts';
import { COLLECTIONS } from '../../../records/collections.ts';
import { dedupe } from '../../../records/precedence.ts';
import type { Stored } from '../../../records/storedValues.ts';
import type { Wallet } from '../../../records/wallet.ts';
import type { FirestoreReader } from '../google/firestore.ts';
import type { Log } from './logLine.ts';

/** Orders by `createdAt`, then `onChainAddress`, so that equal lookups return equal bytes. */
export function compareAttestations(a: Attestation, b: Attestation): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  if (a.onChainAddress === b.onChainAddress) return 0;
  return a.onChainAddress < b.onChainAddress ? -1 : 1;
}

/**
 * Reads the attestations of a wallet, sorted, with each `onChainAddress` once. Documents that violate
 * section 2.1 and duplicates are left out, and their paths are logged.
 */
export async function readAttestations(
  firestore: FirestoreReader,
  wallet: Wallet,
  log: Log,
  signal: AbortSignal,
): Promise<Attestation[]> {
  const { attestations: collection } = COLLECTIONS;
  const query = { collection, field: 'wallet', equals: wallet, select: ATTESTATION_FIELDS };
  const read = (fields: Stored, path: string) => {
    const parsed = parseAttestation(fields);
    if ('attestation' in parsed) return { path, attestation: parsed.attestation };
    log({
      severity: 'WARNING',
      message: 'attestation left out: the mirrored document is not valid',
      document: path,
      field: parsed.invalidField,
    });
    return undefined;
  };
  const documents = await firestore.queryDocuments(query, read, signal);
  const { kept, copies } = dedupe(documents);
  for (const { copy, keptInstead } of copies) {
    log({
      severity: 'WARNING',
      message: 'attestation left out: another document with its onChainAddress takes precedence',
      document: copy.path,
      returnedInstead: keptInstead.path,
    });
  }
  return kept.map(({ attestation }) => attestation).sort(compareAttestations);
}
