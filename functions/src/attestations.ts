// Reads the mirrored attestations of a wallet in the order of the response, and derives the flags.

import {
  ATTESTATION_FIELDS,
  ATTESTATION_TYPES,
  type Attestation,
  parseAttestation,
} from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { compareTexts, dedupe } from '../../records/precedence.ts';
import type { Stored } from '../../records/storedValues.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { Lookup } from './subject.ts';

/** Orders by `createdAt`, then `onChainAddress`, so that equal lookups return equal bytes. */
export const compareAttestations = (a: Attestation, b: Attestation): number =>
  compareTexts(a.createdAt, b.createdAt) || compareTexts(a.onChainAddress, b.onChainAddress);

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

/** The flags and counts of a lookup result (specification, 2.2). Only confirmed attestations count. */
export function summarize(
  attestations: readonly Pick<Attestation, 'attestationType' | 'status'>[],
) {
  const confirmed = (type: number): number =>
    attestations.filter((a) => a.attestationType === type && a.status === 'confirmed').length;
  const votedCount = confirmed(ATTESTATION_TYPES.VOTED.number);
  const supportedCount = confirmed(ATTESTATION_TYPES.SUPPORTED_PROPOSAL.number);
  return {
    hasVerifiedHuman: confirmed(ATTESTATION_TYPES.VERIFIED_HUMAN.number) > 0,
    hasVoted: votedCount > 0,
    votedCount,
    hasSupportedProposal: supportedCount > 0,
    supportedCount,
  };
}
