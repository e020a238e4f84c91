// One HTTP exchange with an RPC endpoint, limited in time and size. Every failure is a `ChainError`.

import { ChainError } from './chainFailure.ts';

const HTTP_TOO_MANY_REQUESTS = 429;
const MIB = 2 ** 20;

export interface ExchangeLimits {
  readonly timeoutMs: number;
  /** The maximum length of a body after decompression. */
  readonly maxBytes: number;
}

/** A response with 100 accounts is about 25 KiB long, without their data. */
export const ACCOUNTS_MAX_BYTES = 4 * MIB;

/**
 * Returns a fetch that is limited to `timeoutMs` and `maxBytes` and fails only with a `ChainError`.
 * It reads the body itself, because a connection that drops halfway must not look like a malformed response.
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
      throw new ChainError('timed_out', `timeout after ${timeoutMs / 1000} s`, { cause: error });
    }
    const reason = cause instanceof Error ? cause.message : message;
    throw new ChainError('disconnected', reason, { cause: error });
  }
}

/** Throws as soon as the body is too long, which also closes the connection. */
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

/** Parses Retry-After in seconds (RFC 9110, 10.2.3). The HTTP-date form is ignored. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('Retry-After'));
  return Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0;
}
