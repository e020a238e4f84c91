// Owns how long a failing RPC endpoint is put up with: tries, waits between them, and giving up.

import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_FAILURES, ChainError } from './chainFailure.ts';

export interface Patience {
  /** How often one request is sent at most. */
  readonly tries: number;
  /** The wait after the first failure; each further one is twice as long. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** How long one try may take. */
  readonly timeoutMs: number;
}

/** Waits 15.5 seconds in all: the public endpoints count requests over windows of 10 seconds. */
export const DEFAULT_PATIENCE: Patience = {
  tries: 6,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
  timeoutMs: 10_000,
};

export interface Wait {
  readonly failure: ChainError;
  /** The number of the try that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
}

/**
 * Asks until there is an answer, with a longer wait after each failure that may pass.
 * No jitter: one client asks, one request at a time.
 *
 * @param onWait told before each wait
 * @throws ChainError the last failure, once the tries are used up or it is not one that passes
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  patience: Patience,
  onWait: (wait: Wait) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ChainError) || !CHAIN_FAILURES[error.code].passing) throw error;
      if (attempt >= patience.tries) throw error;
      const waitMs = Math.min(
        Math.max(patience.firstWaitMs * 2 ** (attempt - 1), error.retryAfterMs),
        patience.longestWaitMs,
      );
      onWait({ failure: error, attempt, waitMs });
      await sleep(waitMs);
    }
  }
}
