// Owns one HTTP exchange with an RPC endpoint: its time-out, and naming what went wrong with it.

import { ChainError } from './chainFailure.ts';

const HTTP_TOO_MANY_REQUESTS = 429;

/**
 * A fetch that ends within `timeoutMs`, body and all, and whose every failure is a `ChainError`.
 * The body is read here so that a connection that drops halfway is not taken for a bad answer.
 */
export function boundedFetch(timeoutMs: number): typeof fetch {
  return async (input, init) => {
    const response = await exchange(input, init, timeoutMs);
    if (response.ok) return response;
    const detail = `HTTP ${response.status}`;
    if (response.status === HTTP_TOO_MANY_REQUESTS) {
      throw new ChainError('rate_limited', detail, { retryAfterMs: retryAfterMs(response) });
    }
    throw new ChainError(response.status >= 500 ? 'unavailable' : 'refused', detail);
  };
}

async function exchange(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  timeoutMs: number,
): Promise<Response> {
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    const { status, headers } = response;
    return new Response((await response.text()) || null, { status, headers });
  } catch (error) {
    const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
    if (name === 'TimeoutError') {
      throw new ChainError('timed_out', `none in ${timeoutMs / 1000} s`, { cause: error });
    }
    const reason = cause instanceof Error ? cause.message : message;
    throw new ChainError('disconnected', reason, { cause: error });
  }
}

/** RFC 9110, 10.2.3, in seconds; its date form is as good as absent. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('Retry-After'));
  return Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0;
}
