// A result: its type, the check that a body is one, and the mark of its wallet.

// generated from contract/schemas.ts by npm run generate
/** An example of the fields that it must have. */
const ATTESTATION = {
  /**
   * The attestation type, and what it says about the holder: 0 VERIFIED_HUMAN (is a verified human), 1 VOTED (voted on
   * a proposal), 2 SUPPORTED_PROPOSAL (signed for a proposal), 3 RECEIVED_SHARE (received a share in a distribution), 4
   * POLL_VOTED (voted in a public poll). Types have been added before, so ignore entries of a type that you do not
   * know.
   */
  attestationType: 0,
  /**
   * What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. By type, 0: 32 zero bytes; 1: the
   * address of the proposal's account; 2: the address of the proposal's account; 3: no documented meaning; 4: the poll
   * vote's nullifier hash.
   */
  contextHashHex: '',
  /**
   * `confirmed` means on the chain and mirrored. `pending` means minted by the operator and awaiting confirmation on
   * the chain. A pending attestation is in `attestations` and `count`, but sets no flag. Treat a status that you do not
   * know as not confirmed.
   */
  status: '' as 'confirmed' | 'pending' | (string & {}),
  /**
   * Address of the attestation account on the chain. It is derived from the holder, the type and the context hash. So
   * the address of a type-0 attestation is the same in every lookup of a wallet, and differs between wallets.
   */
  onChainAddress: '',
  /** When the mirror's copy of the attestation was last updated from the chain, in ISO 8601, UTC, with milliseconds. */
  syncedAt: '',
  /** When the attestation was made, in ISO 8601, UTC, with milliseconds. */
  createdAt: '',
};

export type Attestation = typeof ATTESTATION;

/** An example of the fields that it must have. */
const RESULT = {
  /**
   * The attestations of the subject's wallet, including pending ones, sorted by `createdAt`, then `onChainAddress`.
   * Empty if the wallet has none.
   */
  attestations: [] as Attestation[],
  /** The length of `attestations`, including pending ones. */
  count: 0,
  /** True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating. */
  hasVerifiedHuman: false,
  /** True when at least one attestation of type 1 is confirmed. */
  hasVoted: false,
  /** Number of confirmed type-1 attestations, one per proposal. */
  votedCount: 0,
  /** True when at least one attestation of type 2 is confirmed. */
  hasSupportedProposal: false,
  /** Number of confirmed type-2 attestations, one per proposal. */
  supportedCount: 0,
};

export type ResultBody = typeof RESULT & {
  /** The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode. */
  wallet?: string;
};

/** The status of each code, what it means, and what to do. */
export const CODES = {
  malformed_request: [
    400,
    'The request is not valid HTTP/1.1. Send one Host header and at most 16 KiB of headers.',
  ],
  method_not_allowed: [405, 'This method is not allowed. Use GET or HEAD.'],
  not_found: [
    404,
    'This path does not exist. Call /pohAttestationsEndpoint, followed only by the query.',
  ],
  unauthorized: [
    401,
    'The API key is missing or not valid. Send a current key in the header X-PoH-API-Key.',
  ],
  rate_limited: [
    429,
    'This API key has used up its reads. Try again after the number of seconds in Retry-After.',
  ],
  missing_subject: [
    400,
    'No subject was supplied. Add one of the query parameters wallet, email or token.',
  ],
  repeated_parameter: [
    400,
    'A subject parameter is given more than once. Send wallet, email or token only once.',
  ],
  mode_not_allowed: [
    403,
    'This API key does not allow this kind of lookup. Use another parameter, or ask us for the right.',
  ],
  invalid_wallet: [
    400,
    'The wallet is not a base58 address of 32 bytes. Check that it was copied completely.',
  ],
  email_not_found: [
    404,
    'No wallet is known for this e-mail address. Check it, or ask the user for a wallet or token.',
  ],
  token_not_found: [
    404,
    'This verification token is not valid. Ask the user to generate a new one.',
  ],
  internal: [
    500,
    'The lookup failed on our side. Try again, and report the requestId if it fails again.',
  ],
} as const;
/** Refused with one of these, another subject may get a result. */
export const ABOUT_SUBJECT = [
  'missing_subject',
  'invalid_wallet',
  'email_not_found',
  'token_not_found',
];
// end of the generated part

/** A result without attestations. */
export { RESULT as NOBODY };

/** A code of the contract, or `not_the_service`. Codes may be added, so decide by the class if you do not know one. */
export type Code = keyof typeof CODES | 'not_the_service' | (string & {});

export interface LookupResult extends ResultBody {
  /** The id of the response, which the client adds; empty if it has none. Quote it when you ask for help. */
  requestId: string;
}

/** Whether a body is a result of the service, so that no other response admits anybody. */
export const isResult = (body: unknown): body is ResultBody =>
  fits(body, RESULT) && body.attestations.every((entry) => fits(entry, ATTESTATION));

const fits = <T extends object>(value: unknown, example: T): value is T =>
  Object.entries(example).every(([name, typical]) => {
    const field: unknown = Object(value)[name];
    if (typeof typical === 'number') return Number.isInteger(field);
    return Array.isArray(typical) ? Array.isArray(field) : typeof field === typeof typical;
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
