// The ways in which a request to the chain fails. Must not know who makes it, or what for.

interface FailureRow {
  /** What the RPC endpoint did; with its detail in brackets it ends a sentence that begins with the endpoint. */
  readonly what: string;
  readonly advice: string;
  /** Whether the same request may succeed a little later. */
  readonly transient: boolean;
}

/** The closed set of failures. None of them says anything about an account. */
export const CHAIN_FAILURES = {
  rate_limited: {
    what: 'limits the rate of requests',
    advice: 'Run it again later, or use an endpoint with a higher limit.',
    transient: true,
  },
  timed_out: {
    what: 'did not respond in time',
    advice: 'Run it again later, or use another endpoint.',
    transient: true,
  },
  disconnected: {
    what: 'could not be reached or dropped the connection',
    advice: 'Check the address and the network.',
    transient: true,
  },
  unavailable: {
    what: 'responded that it is unavailable',
    advice: 'Run it again later, or use another endpoint.',
    transient: true,
  },
  malformed: {
    what: 'returned an unexpected response',
    advice: 'Check that the address is that of a Solana JSON-RPC endpoint.',
    transient: true,
  },
  oversized: {
    what: 'sent a longer response than such a request can have',
    advice: 'Check that the address is that of a Solana JSON-RPC endpoint.',
    transient: false,
  },
  refused: {
    what: 'refused the request',
    advice: 'Check the address and the access that it grants.',
    transient: false,
  },
} as const satisfies Record<string, FailureRow>;

export type ChainFailureCode = keyof typeof CHAIN_FAILURES;

/** Errors within JSON-RPC; the first two are what providers send in place of HTTP 429. */
const RPC_FAILURES: ReadonlyMap<unknown, ChainFailureCode> = new Map([
  [429, 'rate_limited'],
  [-32429, 'rate_limited'],
  // Agave: the node is unhealthy, that is, behind.
  [-32005, 'unavailable'],
  // Agave: the node has not reached the slot that is asked for.
  [-32016, 'unavailable'],
  // JSON-RPC 2.0: internal error.
  [-32603, 'unavailable'],
]);

/** @param rpcCode the code of an error within JSON-RPC */
export const rpcFailureCode = (rpcCode: unknown): ChainFailureCode =>
  RPC_FAILURES.get(rpcCode) ?? 'refused';

/** A request to the chain failed; `message` ends a sentence that begins with the endpoint. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainFailureCode;
  /** The pause that the endpoint requested, in milliseconds. */
  readonly retryAfterMs: number;

  /** @param detail a few words, as "HTTP 429" */
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
