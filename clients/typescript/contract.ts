// The contract's objects.

export interface Attestation {
  /**
   * The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3
   * RECEIVED_SHARE, 4 POLL_VOTED. Types have been added before, so ignore entries of a type
   * that you do not know.
   */
  attestationType: number;
  /**
   * What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. For
   * type 0 they are all zero, for types 1 and 2 they are the proposal account address, and
   * for type 4 they are the nullifier of the poll vote.
   */
  contextHashHex: string;
  /**
   * `confirmed` means on the chain and mirrored. `pending` means minted by the platform and
   * awaiting confirmation on the chain. A pending attestation sets no flag, and only
   * `count` includes it. Treat a status that you do not know as not confirmed.
   */
  status: string;
  /**
   * Address of the attestation account on the chain. It is derived from the holder, the
   * type and the context hash. So the address of a type-0 attestation is the same in every
   * lookup of a wallet, and differs between wallets.
   */
  onChainAddress: string;
  /**
   * When the service last updated its record from the chain, in ISO 8601, UTC, with
   * milliseconds.
   */
  syncedAt: string;
  /**
   * When the attestation was made, in ISO 8601, UTC, with milliseconds.
   */
  createdAt: string;
}

export interface LookupResult {
  /**
   * The wallet that was looked up. Present in wallet mode only; absent in e-mail and token
   * mode.
   */
  wallet?: string;
  /**
   * The attestations of the subject's wallet, including pending ones, sorted by
   * `createdAt`, then `onChainAddress`. Empty if the wallet has none.
   */
  attestations: Attestation[];
  /**
   * The length of `attestations`, including pending ones.
   */
  count: number;
  /**
   * True when at least one attestation of type 0 is confirmed. The primary signal for
   * humanity gating.
   */
  hasVerifiedHuman: boolean;
  /**
   * True when at least one attestation of type 1 is confirmed.
   */
  hasVoted: boolean;
  /**
   * Number of confirmed type-1 attestations, one per proposal.
   */
  votedCount: number;
  /**
   * True when at least one attestation of type 2 is confirmed.
   */
  hasSupportedProposal: boolean;
  /**
   * Number of confirmed type-2 attestations, one per proposal.
   */
  supportedCount: number;
}

/** The fields that a response must have. */
export const REQUIRED = {
  Attestation: {
    attestationType: 'integer',
    contextHashHex: 'string',
    status: 'string',
    onChainAddress: 'string',
    syncedAt: 'string',
    createdAt: 'string',
  },
  LookupResult: {
    attestations: 'array',
    count: 'integer',
    hasVerifiedHuman: 'boolean',
    hasVoted: 'boolean',
    votedCount: 'integer',
    hasSupportedProposal: 'boolean',
    supportedCount: 'integer',
  },
} as const;
