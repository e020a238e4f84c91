// Reads the mirrored attestations of a wallet, in the order in which they are returned.

import {
  ATTESTATION_FIELDS,
  type Attestation,
  parseAttestation,
} from '../../../records/attestation.ts';
import { COLLECTIONS } from '../../../records/collections.ts';
import { separateCopies } from '../../../records/precedence.ts';
import type { Stored } from '../../../records/storedValues.ts';
import type { Wallet } from '../../../records/wallet.ts';
import type { FirestoreReader } from '../google/firestore.ts';
import type { Log } from './logLine.ts';

/** Orders by `createdAt`, then `onChainAddress`, so that two equal lookups give equal bytes. */
export function compareAttestations(a: Attestation, b: Attestation): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  if (a.onChainAddress === b.onChainAddress) return 0;
  return a.onChainAddress < b.onChainAddress ? -1 : 1;
}

/**
 * Reads the attestations of a wallet, in order, each `onChainAddress` once. A document that does not fit section 2.1, or
 * that another one of its `onChainAddress` takes precedence over, is left out and logged with its path.
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
      message: 'attestation left out: the mirrored document does not fit',
      document: path,
      field: parsed.invalidField,
    });
    return undefined;
  };
  const documents = await firestore.queryDocuments(query, read, signal);
  const { standing, copies } = separateCopies(documents);
  for (const { copy, standing: kept } of copies) {
    log({
      severity: 'WARNING',
      message: 'attestation left out: another document of its onChainAddress stands',
      document: copy.path,
      standing: kept.path,
    });
  }
  return standing.map(({ attestation }) => attestation).sort(compareAttestations);
}
