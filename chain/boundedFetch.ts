// One HTTP exchange with an RPC endpoint, bounded in time and size, with coded failures.

import { ChainError } from './chainFailure.ts';

const HTTP_TOO_MANY_REQUESTS = 429;
const MIB = 2 ** 20;

export interface ExchangeLimits {
  readonly timeoutMs: number;
  /** The most bytes of a body, once decompressed. */
  readonly maxBytes: number;
}

/** Accounts without their data are some 25 KiB for each request. */
export const ACCOUNTS_MAX_BYTES = 4 * MIB;

/**
 * A fetch that ends within `timeoutMs` and `maxBytes`, and whose every failure is a `ChainError`.
 * The body is read here so that a connection that drops halfway is not taken for a bad response.
 */
export function boundedFetch({ timeoutMs, maxBytes }: ExchangeLimits): typeof fetch {
  return async (input, init) => {
    const response = await exchange(input, init, { timeoutMs, maxBytes });
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
  { timeoutMs, maxBytes }: ExchangeLimits,
): Promise<Response> {
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    const { status, headers } = response;
    const body = await readBody(response, maxBytes);
    return new Response(body.length > 0 ? body : null, { status, headers });
  } catch (error) {
    if (error instanceof ChainError) throw error;
    const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
    if (name === 'TimeoutError') {
      throw new ChainError('timed_out', `none in ${timeoutMs / 1000} s`, { cause: error });
    }
    const reason = cause instanceof Error ? cause.message : message;
    throw new ChainError('disconnected', reason, { cause: error });
  }
}

/** Leaves the loop, and with it the connection, as soon as the body is too long. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new ChainError('oversized', `more than ${maxBytes / MIB} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** RFC 9110, 10.2.3, in seconds; its date form is as good as absent. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('Retry-After'));
  return Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0;
}
