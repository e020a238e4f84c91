// What a successful lookup returns (specification, 2.1 to 2.3): attestations, their types and order, and the flags.

const PROPOSAL = "the address of the proposal's account";

/**
 * The attestation types (specification, 2.3), with what an attestation says about its holder, what the identity-proof page
 * tells the holder about it, and what its context hash is. A new type is a new row.
 */
export const ATTESTATION_TYPES = {
  VERIFIED_HUMAN: {
    number: 0,
    meaning: 'is a verified human',
    seen: 'that you are a verified human',
    contextHash: '32 zero bytes',
  },
  VOTED: {
    number: 1,
    meaning: 'voted on a proposal',
    seen: 'which proposals you voted on',
    contextHash: PROPOSAL,
  },
  SUPPORTED_PROPOSAL: {
    number: 2,
    meaning: 'signed for a proposal',
    seen: 'which proposals you supported',
    contextHash: PROPOSAL,
  },
  RECEIVED_SHARE: {
    number: 3,
    meaning: 'received a share in a distribution',
    seen: 'which shares you received',
    contextHash: 'no documented meaning',
  },
  POLL_VOTED: {
    number: 4,
    meaning: 'voted in a public poll',
    seen: 'which polls you voted in',
    contextHash: "the poll vote's nullifier hash",
  },
} as const satisfies Record<
  string,
  { number: number; meaning: string; seen: string; contextHash: string }
>;

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

export const ZERO_CONTEXT_HASH = '0'.repeat(64);

/** A cheap check that every base58 address of 32 bytes passes. A lookup may have thousands of addresses. */
export const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Orders texts by their code units, for `Array.sort`. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Orders by `createdAt`, then `onChainAddress`, so that equal lookups return equal bytes. */
export const compareAttestations = (a: Attestation, b: Attestation): number =>
  compareTexts(a.createdAt, b.createdAt) || compareTexts(a.onChainAddress, b.onChainAddress);

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

/** The body of a successful response (specification, 2.2). */
export interface LookupResult extends ReturnType<typeof summarize> {
  /** In wallet mode only. */
  readonly wallet?: string;
  readonly attestations: readonly Attestation[];
  /** The length of `attestations`. */
  readonly count: number;
}
