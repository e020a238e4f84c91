// Reads the mirrored attestations of a wallet in the order of the response.

import {
  ATTESTATION_FIELDS,
  type Attestation,
  compareAttestations,
} from '../../contract/result.ts';
import { dedupe, parseAttestation } from '../../records/attestation.ts';
import { COLLECTIONS, type Stored } from '../../records/storedValues.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { Lookup } from './subject.ts';

/**
 * Reads the attestations of a wallet, sorted, with each `onChainAddress` once. Documents that violate
 * section 2.1 and duplicates are left out, and their paths are logged.
 */
export async function readAttestations(wallet: Wallet, lookup: Lookup): Promise<Attestation[]> {
  const { firestore, log } = lookup;
  const { attestations: collection } = COLLECTIONS;
  const query = { collection, field: 'wallet', equals: wallet, select: ATTESTATION_FIELDS };
  const leaveOut = (document: string, why: string, details: object): void =>
    log({ severity: 'WARNING', message: `attestation left out: ${why}`, document, ...details });
  const read = (fields: Stored, path: string) => {
    const parsed = parseAttestation(fields);
    if ('attestation' in parsed) return { path, attestation: parsed.attestation };
    leaveOut(path, 'the mirrored document is not valid', { field: parsed.invalidField });
    return undefined;
  };
  const { kept, copies } = dedupe(await firestore.queryDocuments(query, read, lookup));
  for (const { copy, keptInstead } of copies) {
    const why = 'another document with its onChainAddress takes precedence';
    leaveOut(copy.path, why, { returnedInstead: keptInstead.path });
  }
  return kept.map(({ attestation }) => attestation).sort(compareAttestations);
}
