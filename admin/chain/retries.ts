// Retries failing calls to an RPC endpoint.

import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_FAILURES, ChainError } from './chainFailure.ts';

export interface RetryPolicy {
  /** The maximum number of attempts for one request. */
  readonly maxAttempts: number;
  /** The pause after the first failure. Each further pause is twice as long. */
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
}

/** Pauses for 15.5 seconds in total, because public endpoints count requests in windows of 10 seconds. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 6,
  initialBackoffMs: 500,
  maxBackoffMs: 30_000,
  timeoutMs: 10_000,
};

export interface Retry {
  readonly failure: ChainError;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly backoffMs: number;
}

/**
 * Repeats the call until it succeeds, with a longer pause after each transient failure.
 * Needs no jitter, because there is one client with one request at a time.
 *
 * @param onRetry called before each pause
 * @throws ChainError the first permanent failure, or the failure of the last attempt
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ChainError) || !CHAIN_FAILURES[error.code].transient) throw error;
      if (attempt >= policy.maxAttempts) throw error;
      const backoffMs = Math.min(
        Math.max(policy.initialBackoffMs * 2 ** (attempt - 1), error.retryAfterMs),
        policy.maxBackoffMs,
      );
      onRetry({ failure: error, attempt, backoffMs });
      await sleep(backoffMs);
    }
  }
}
