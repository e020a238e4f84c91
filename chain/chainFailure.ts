// Owns the ways in which the chain cannot be asked. Must not know who asks, or what for.

interface FailureRow {
  /** What the RPC endpoint did; with its detail in brackets it ends a sentence. */
  readonly what: string;
  readonly advice: string;
  /** Whether the same request may well succeed a little later. */
  readonly passing: boolean;
}

/** The closed set of failures. None of them says anything about an account. */
export const CHAIN_FAILURES = {
  rate_limited: {
    what: 'limits our requests',
    advice: 'Run it again later, or use an endpoint with a higher limit.',
    passing: true,
  },
  timed_out: {
    what: 'did not answer in time',
    advice: 'Run it again later, or use another endpoint.',
    passing: true,
  },
  disconnected: {
    what: 'could not be reached or dropped the connection',
    advice: 'Check the address and the network.',
    passing: true,
  },
  unavailable: {
    what: 'answered that it is out of order',
    advice: 'Run it again later, or use another endpoint.',
    passing: true,
  },
  malformed: {
    what: 'gave an answer that is not one to our question',
    advice: 'Check that the address is that of a Solana JSON-RPC endpoint.',
    passing: true,
  },
  refused: {
    what: 'refused the request',
    advice: 'Check the address and the access that it grants.',
    passing: false,
  },
} as const satisfies Record<string, FailureRow>;

export type ChainFailureCode = keyof typeof CHAIN_FAILURES;

/** The chain could not be asked; `message` ends a sentence that begins with the endpoint. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainFailureCode;
  /** How long the endpoint asked to be left alone. */
  readonly retryAfterMs: number;

  /** @param detail a few words for a person, as "HTTP 429" */
  constructor(
    code: ChainFailureCode,
    detail: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(`${CHAIN_FAILURES[code].what} (${detail})`, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
