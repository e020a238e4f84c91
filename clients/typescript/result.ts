// A result: its type, the check that a body is one, and details that its flags do not contain.

// generated from functions/contract.ts by npm run generate
export interface Attestation {
  /**
   * The attestation type, and what it says about the holder: 0 VERIFIED_HUMAN (is a verified human), 1 VOTED (voted on
   * a proposal), 2 SUPPORTED_PROPOSAL (signed for a proposal), 3 RECEIVED_SHARE (received a share in a distribution), 4
   * POLL_VOTED (voted in a public poll). Types have been added before, so ignore entries of a type that you do not
   * know.
   */
  attestationType: number;
  /**
   * What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. By type, 0: 32 zero bytes; 1: the
   * address of the proposal's account; 2: the address of the proposal's account; 3: no documented meaning; 4: the poll
   * vote's nullifier hash.
   */
  contextHashHex: string;
  /**
   * `confirmed` means on the chain and mirrored. `pending` means minted by the platform and awaiting confirmation on
   * the chain. A pending attestation is in `attestations` and `count`, but sets no flag. Treat a status that you do not
   * know as not confirmed.
   */
  status: string;
  /**
   * Address of the attestation account on the chain. It is derived from the holder, the type and the context hash. So
   * the address of a type-0 attestation is the same in every lookup of a wallet, and differs between wallets.
   */
  onChainAddress: string;
  /** When the mirror's copy of the attestation was last updated from the chain, in ISO 8601, UTC, with milliseconds. */
  syncedAt: string;
  /** When the attestation was made, in ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** The body of a 200. */
export interface ResultBody {
  /** The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode. */
  wallet?: string;
  /**
   * The attestations of the subject's wallet, including pending ones, sorted by `createdAt`, then `onChainAddress`.
   * Empty if the wallet has none.
   */
  attestations: Attestation[];
  /** The length of `attestations`, including pending ones. */
  count: number;
  /** True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating. */
  hasVerifiedHuman: boolean;
  /** True when at least one attestation of type 1 is confirmed. */
  hasVoted: boolean;
  /** Number of confirmed type-1 attestations, one per proposal. */
  votedCount: number;
  /** True when at least one attestation of type 2 is confirmed. */
  hasSupportedProposal: boolean;
  /** Number of confirmed type-2 attestations, one per proposal. */
  supportedCount: number;
}

/** The types of the fields that it must have. */
export const ATTESTATION_FIELDS = {
  attestationType: 'integer',
  contextHashHex: 'string',
  status: 'string',
  onChainAddress: 'string',
  syncedAt: 'string',
  createdAt: 'string',
} as const;

/** The types of the fields that it must have. */
export const RESULT_FIELDS = {
  attestations: 'array',
  count: 'integer',
  hasVerifiedHuman: 'boolean',
  hasVoted: 'boolean',
  votedCount: 'integer',
  hasSupportedProposal: 'boolean',
  supportedCount: 'integer',
} as const;

/** The numbers of the attestation types. */
export const ATTESTATION_TYPE = {
  VERIFIED_HUMAN: 0,
  VOTED: 1,
  SUPPORTED_PROPOSAL: 2,
  RECEIVED_SHARE: 3,
  POLL_VOTED: 4,
} as const;

/** The codes, and whether a request with the same key may succeed with another subject. */
export const IS_ABOUT_SUBJECT = {
  missing_subject: true,
  repeated_parameter: true,
  invalid_wallet: true,
  malformed_request: true,
  unauthorized: false,
  mode_not_allowed: false,
  email_not_found: true,
  token_not_found: true,
  not_found: false,
  method_not_allowed: false,
  rate_limited: false,
  internal: false,
} as const;
// end of the generated part

export interface LookupResult extends ResultBody {
  /**
   * The id of the response, which the client adds. Quote it when you ask for help; empty if the response
   * has none.
   */
  requestId: string;
}

/** A code of the contract, or `not_the_service`. Codes may be added, so decide by the status if you do not know one. */
export type Code = keyof typeof IS_ABOUT_SUBJECT | 'not_the_service' | (string & {});

/** Whether a body is a result of the service, so that no other response admits anybody. */
export const isResult = (body: unknown): body is ResultBody =>
  fits<ResultBody>(body, RESULT_FIELDS) &&
  body.attestations.every((entry) => fits<Attestation>(entry, ATTESTATION_FIELDS));

function fits<T>(value: unknown, fields: Readonly<Record<string, string>>): value is T {
  if (typeof value !== 'object' || value === null) return false;
  const found = new Map(Object.entries(value));
  return Object.entries(fields).every(([name, type]) => {
    const field: unknown = found.get(name);
    if (type === 'integer') return Number.isInteger(field);
    return type === 'array' ? Array.isArray(field) : typeof field === type;
  });
}

/** Removes white space and byte order marks around a text. Without types, a caller may pass anything. */
export const trimmed = (text: unknown): string => (typeof text === 'string' ? text.trim() : '');

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
const ADDRESS_MAX_DIGITS = 44;

type Attestations = Pick<ResultBody, 'attestations'>;

/**
 * Whether the person voted on a proposal, as confirmed by the chain.
 *
 * @param proposal the base58 address of the proposal's account
 * @throws TypeError if the address is invalid
 */
export const votedIn = (result: Attestations, proposal: string): boolean =>
  confirmed(result, ATTESTATION_TYPE.VOTED, addressHex(proposal)) !== undefined;

/** Whether the person supports a proposal, as confirmed by the chain. See `votedIn`. */
export const supports = (result: Attestations, proposal: string): boolean =>
  confirmed(result, ATTESTATION_TYPE.SUPPORTED_PROPOSAL, addressHex(proposal)) !== undefined;

/**
 * Identifies a wallet, without containing its address. The chain's public transactions may show the
 * address. Every lookup of the wallet returns the same mark, in every mode and for every project.
 *
 * @returns undefined if the wallet's holder is not a verified human
 */
export const walletMark = (result: Attestations): string | undefined =>
  confirmed(result, ATTESTATION_TYPE.VERIFIED_HUMAN, '0'.repeat(2 * ADDRESS_BYTES))?.onChainAddress;

const confirmed = (
  { attestations }: Attestations,
  type: number,
  contextHashHex: string,
): Attestation | undefined =>
  attestations.find(
    (attestation) =>
      attestation.attestationType === type &&
      attestation.status === 'confirmed' &&
      attestation.contextHashHex.toLowerCase() === contextHashHex,
  );

/** Converts a base58 address of 32 bytes to hex digits. */
function addressHex(address: string): string {
  const text = trimmed(address);
  const digits = [...text].map((digit) => ALPHABET.indexOf(digit));
  if (digits.length <= ADDRESS_MAX_DIGITS && !digits.includes(-1)) {
    const value = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
    const hex = value.toString(16).padStart(2 * ADDRESS_BYTES, '0');
    // Each zero byte at the beginning is one "1".
    const [zeros = ''] = /^(00)*/.exec(hex) ?? [];
    const [ones = ''] = /^1*/.exec(text) ?? [];
    if (hex.length === 2 * ADDRESS_BYTES && zeros.length === 2 * ones.length) return hex;
  }
  throw new TypeError("A proposal's address must be base58 of 32 bytes.");
}
