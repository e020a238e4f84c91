// The failures of requests to the chain. Must not depend on the code that makes the requests.

import { Failure } from '../terminal/failure.ts';

interface FailureRow {
  /** Completes a sentence that begins with the RPC endpoint; a detail in brackets follows. */
  readonly predicate: string;
  readonly advice: string;
  /** Whether the same request may succeed a little later. */
  readonly transient: boolean;
}

/** All failures. None of them tells whether an account exists. */
export const CHAIN_FAILURES = {
  rate_limited: {
    predicate: 'limits the rate of requests',
    advice: 'Run it again later, or use an endpoint with a higher limit.',
    transient: true,
  },
  timed_out: {
    predicate: 'did not respond in time',
    advice: 'Run it again later, or use another endpoint.',
    transient: true,
  },
  disconnected: {
    predicate: 'could not be reached or dropped the connection',
    advice: 'Check the address and the network.',
    transient: true,
  },
  unavailable: {
    predicate: 'responded that it is unavailable',
    advice: 'Run it again later, or use another endpoint.',
    transient: true,
  },
  malformed: {
    predicate: 'returned an unexpected response',
    advice: 'Check that the address is a Solana JSON-RPC endpoint.',
    transient: true,
  },
  oversized: {
    predicate: 'sent a response that is too long for the request',
    advice: 'Check that the address is a Solana JSON-RPC endpoint.',
    transient: false,
  },
  refused: {
    predicate: 'refused the request',
    advice: 'Check the address and your access to the endpoint.',
    transient: false,
  },
} as const satisfies Record<string, FailureRow>;

export type ChainFailureCode = keyof typeof CHAIN_FAILURES;

/** JSON-RPC error codes. Some providers send the first two instead of HTTP 429. */
const RPC_FAILURES: ReadonlyMap<unknown, ChainFailureCode> = new Map([
  [429, 'rate_limited'],
  [-32429, 'rate_limited'],
  // Agave: the node is unhealthy because it is behind.
  [-32005, 'unavailable'],
  // Agave: the node has not reached the requested slot.
  [-32016, 'unavailable'],
  // JSON-RPC 2.0: internal error.
  [-32603, 'unavailable'],
]);

/** @param rpcCode the code of a JSON-RPC error */
export const rpcFailureCode = (rpcCode: unknown): ChainFailureCode =>
  RPC_FAILURES.get(rpcCode) ?? 'refused';

/** A failed attempt of a request. `message` completes a sentence that begins with the endpoint. */
export class FailedAttempt extends Error {
  readonly code: ChainFailureCode;
  /** The pause that the endpoint requested, in milliseconds. */
  readonly retryAfterMs: number;

  /** @param detail a few words, e.g. "HTTP 429" */
  constructor(
    code: ChainFailureCode,
    detail: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(`${CHAIN_FAILURES[code].predicate} (${detail})`, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** @param attempts how many attempts of the request failed */
export function chainFailure({ host }: URL, cause: FailedAttempt, attempts: number): Failure {
  const { code, message } = cause;
  const after = attempts > 1 ? `, after ${attempts} attempts` : '';
  // Names only the host, because the rest of the address often contains the endpoint's key.
  const what = `The chain could not be read: ${host} ${message}${after}.`;
  return new Failure(`${what} ${CHAIN_FAILURES[code].advice}`, { code, cause });
}
