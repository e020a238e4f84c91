// The result of a lookup, and the arithmetic of its flags and counts. No clock, no I/O.

import { ATTESTATION_TYPE, type Attestation } from '../../../records/attestation.ts';
import type { Wallet } from '../../../records/wallet.ts';

/** The flags and counts of a lookup result (specification, 2.2). */
export interface Summary {
  readonly hasVerifiedHuman: boolean;
  readonly hasVoted: boolean;
  readonly votedCount: number;
  readonly hasSupportedProposal: boolean;
  readonly supportedCount: number;
}

/** The body of a successful response (specification, 2.2). */
export interface LookupResult extends Summary {
  /** In wallet mode only. */
  readonly wallet?: Wallet;
  readonly attestations: readonly Attestation[];
  readonly count: number;
}

/**
 * Derives the flags and counts from a wallet's attestations. Only confirmed ones count.
 *
 * @param attestations in any order
 */
export function summarize(
  attestations: readonly Pick<Attestation, 'attestationType' | 'status'>[],
): Summary {
  let humanCount = 0;
  let votedCount = 0;
  let supportedCount = 0;
  for (const { attestationType, status } of attestations) {
    if (status !== 'confirmed') continue;
    if (attestationType === ATTESTATION_TYPE.VERIFIED_HUMAN) humanCount += 1;
    else if (attestationType === ATTESTATION_TYPE.VOTED) votedCount += 1;
    else if (attestationType === ATTESTATION_TYPE.SUPPORTED_PROPOSAL) supportedCount += 1;
  }
  return {
    hasVerifiedHuman: humanCount > 0,
    hasVoted: votedCount > 0,
    votedCount,
    hasSupportedProposal: supportedCount > 0,
    supportedCount,
  };
}
