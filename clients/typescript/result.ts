// A result: its type, the check that a body is one, and the mark of its wallet.

// generated from functions/contract.ts by npm run generate
/** The types of the fields that it must have. */
export const ATTESTATION_FIELDS = {
  /**
   * The attestation type, and what it says about the holder: 0 VERIFIED_HUMAN (is a verified human), 1 VOTED (voted on
   * a proposal), 2 SUPPORTED_PROPOSAL (signed for a proposal), 3 RECEIVED_SHARE (received a share in a distribution), 4
   * POLL_VOTED (voted in a public poll). Types have been added before, so ignore entries of a type that you do not
   * know.
   */
  attestationType: 'integer',
  /**
   * What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. By type, 0: 32 zero bytes; 1: the
   * address of the proposal's account; 2: the address of the proposal's account; 3: no documented meaning; 4: the poll
   * vote's nullifier hash.
   */
  contextHashHex: 'string',
  /**
   * `confirmed` means on the chain and mirrored. `pending` means minted by the platform and awaiting confirmation on
   * the chain. A pending attestation is in `attestations` and `count`, but sets no flag. Treat a status that you do not
   * know as not confirmed.
   */
  status: 'string',
  /**
   * Address of the attestation account on the chain. It is derived from the holder, the type and the context hash. So
   * the address of a type-0 attestation is the same in every lookup of a wallet, and differs between wallets.
   */
  onChainAddress: 'string',
  /** When the mirror's copy of the attestation was last updated from the chain, in ISO 8601, UTC, with milliseconds. */
  syncedAt: 'string',
  /** When the attestation was made, in ISO 8601, UTC, with milliseconds. */
  createdAt: 'string',
} as const;

export interface Attestation extends Fields<typeof ATTESTATION_FIELDS> {}

/** The types of the fields that it must have. */
export const RESULT_FIELDS = {
  /**
   * The attestations of the subject's wallet, including pending ones, sorted by `createdAt`, then `onChainAddress`.
   * Empty if the wallet has none.
   */
  attestations: 'array',
  /** The length of `attestations`, including pending ones. */
  count: 'integer',
  /** True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating. */
  hasVerifiedHuman: 'boolean',
  /** True when at least one attestation of type 1 is confirmed. */
  hasVoted: 'boolean',
  /** Number of confirmed type-1 attestations, one per proposal. */
  votedCount: 'integer',
  /** True when at least one attestation of type 2 is confirmed. */
  hasSupportedProposal: 'boolean',
  /** Number of confirmed type-2 attestations, one per proposal. */
  supportedCount: 'integer',
} as const;

export interface ResultBody extends Fields<typeof RESULT_FIELDS> {
  /** The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode. */
  wallet?: string;
}

/** A code of the contract, or `not_the_service`. Codes may be added, so decide by the status if you do not know one. */
export type Code =
  | 'missing_subject'
  | 'repeated_parameter'
  | 'invalid_wallet'
  | 'malformed_request'
  | 'unauthorized'
  | 'mode_not_allowed'
  | 'email_not_found'
  | 'token_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'internal'
  | 'not_the_service'
  | (string & {});
// end of the generated part

interface Types {
  string: string;
  boolean: boolean;
  integer: number;
  array: Attestation[];
}
type Fields<T extends Readonly<Record<string, keyof Types>>> = {
  -readonly [Name in keyof T]: Types[T[Name]];
};

export interface LookupResult extends ResultBody {
  /** The id of the response, which the client adds; empty if it has none. Quote it when you ask for help. */
  requestId: string;
}

/** Whether a body is a result of the service, so that no other response admits anybody. */
export const isResult = (body: unknown): body is ResultBody =>
  fits<ResultBody>(body, RESULT_FIELDS) &&
  body.attestations.every((entry) => fits<Attestation>(entry, ATTESTATION_FIELDS));

const fits = <T>(value: unknown, fields: Readonly<Record<string, string>>): value is T =>
  Object.entries(fields).every(([name, type]) => {
    const field: unknown = Object(value)[name];
    if (type === 'integer') return Number.isInteger(field);
    return type === 'array' ? Array.isArray(field) : typeof field === type;
  });

/**
 * Identifies a wallet, without containing its address. The chain's public transactions may show the address. Every
 * lookup of the wallet returns the same mark, in every mode and for every project.
 *
 * @returns undefined if the wallet's holder is not a verified human
 */
export const walletMark = ({ attestations }: ResultBody): string | undefined =>
  attestations.find((each) => each.attestationType === 0 && each.status === 'confirmed')
    ?.onChainAddress;
