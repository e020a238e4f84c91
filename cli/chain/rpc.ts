// Calls the JSON-RPC methods of a Solana node. Every call is limited in time and size, and is repeated after a
// transient failure.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { currentRun } from '../frame/run.ts';
import { Failure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/parseJson.ts';

const MIB = 2 ** 20;

/**
 * A response with 100 accounts is about 25 KiB long, without their data. The pauses are 15.5 seconds in total,
 * because public endpoints count requests in windows of 10 seconds.
 */
export const DEFAULT_LIMITS = {
  /** The time limit of one attempt. */
  timeoutMs: 10_000,
  /** The maximum length of a response after decompression. */
  maxBytes: 4 * MIB,
  /** The maximum number of attempts for one call. */
  maxAttempts: 6,
  /** The pause after the first failure. Each further pause is twice as long. */
  initialBackoffMs: 500,
  maxBackoffMs: 30_000,
};
export type RpcLimits = Readonly<typeof DEFAULT_LIMITS>;

export interface Node {
  readonly url: URL;
  /** The slot that each response must have reached, because a node behind a load balancer may lag. */
  readonly slot?: number;
  /** Prints a line to the user before each retry. */
  readonly note: (text: string) => void;
  readonly limits?: Partial<RpcLimits>;
}

/** All failures, none of which tells whether an account exists. */
export type ChainFailureCode = 'unavailable' | 'malformed' | 'oversized' | 'refused';
/** After these, the same request may succeed a little later. */
const TRANSIENT: ReadonlySet<ChainFailureCode> = new Set(['unavailable', 'malformed']);

interface FailedAttempt {
  readonly code: ChainFailureCode;
  /** A few words, e.g. "HTTP 429". */
  readonly detail: string;
  /** The pause that the endpoint requested. */
  readonly retryAfterMs?: number;
}

const HTTP_TOO_MANY_REQUESTS = 429;
/** JSON-RPC error codes of a node that is `unavailable`. */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  // Some providers send these instead of HTTP 429.
  HTTP_TOO_MANY_REQUESTS,
  -32429,
  // Agave: the node is unhealthy because it is behind, or has not reached the requested slot.
  -32005,
  -32016,
  // JSON-RPC 2.0: internal error.
  -32603,
]);

/**
 * Calls a method, with a longer pause after each transient failure. It needs no jitter, because there is one
 * client with few requests at a time.
 *
 * @param schema the schema of the result
 * @param methodLimits the limits of this method, unless the node has others
 * @throws Failure with a `ChainFailureCode` for the first permanent failure, or for the last attempt
 */
export async function callRpc<T>(
  { url, note, limits }: Node,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  methodLimits: Partial<RpcLimits> = {},
): Promise<T> {
  const limit = { ...DEFAULT_LIMITS, ...methodLimits, ...limits };
  for (let tried = 1; ; tried += 1) {
    const outcome = await currentRun().pause(attempt(url, method, params, schema, limit));
    if ('result' in outcome) return outcome.result;
    const { code, detail, retryAfterMs = 0 } = outcome;
    // Names only the host, because the rest of the address often contains the endpoint's key.
    const what = `${url.host}: ${code} (${detail}), attempt ${tried} of ${limit.maxAttempts}`;
    if (!TRANSIENT.has(code) || tried >= limit.maxAttempts) {
      throw new Failure(
        `The chain could not be read. ${what}. ` +
          'Check the address and your access to the endpoint, run it again later, or use another endpoint.',
        { code },
      );
    }
    const backoffMs = limit.initialBackoffMs * 2 ** (tried - 1);
    const pauseMs = Math.min(Math.max(backoffMs, retryAfterMs), limit.maxBackoffMs);
    note(`${what}; retrying in ${pauseMs / 1000} s`);
    await sleep(pauseMs);
  }
}

/** The code of an error. Its text is not used, because some nodes repeat the key in their address. */
const error = z.object({ code: z.number() });

async function attempt<T>(
  url: URL,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  limit: RpcLimits,
): Promise<{ readonly result: T } | FailedAttempt> {
  // So that a reply to another request is malformed.
  const id = randomUUID();
  const response = await post(url, { jsonrpc: '2.0', id, method, params }, limit);
  if ('code' in response) return response;
  const json = parseJson(response.body);
  // A node that cannot read the request sends its error without the id.
  const failed = z.object({ id: z.unknown(), error }).safeParse(json);
  if (failed.success) {
    const { code } = failed.data.error;
    const detail = `JSON-RPC error ${code}`;
    const isForeign = (failed.data.id ?? id) !== id;
    if (isForeign) return { code: 'malformed', detail: `${detail} for another request` };
    return { code: UNAVAILABLE.has(code) ? 'unavailable' : 'refused', detail };
  }
  const { success, data } = z.object({ id: z.literal(id), result: schema }).safeParse(json);
  return success ? data : { code: 'malformed', detail: 'not the requested result' };
}

async function post(
  url: URL,
  request: object,
  { timeoutMs, maxBytes }: RpcLimits,
): Promise<{ readonly body: string } | FailedAttempt> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      // A redirect could lead to an address that only this machine reaches.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    // Read here, because a connection that drops halfway must not look like a malformed response.
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      // Leaving the loop also closes the connection.
      if (bytes > maxBytes) return { code: 'oversized', detail: `more than ${maxBytes / MIB} MiB` };
      chunks.push(chunk);
    }
    if (response.ok) return { body: Buffer.concat(chunks).toString() };
    const { status, headers } = response;
    const mayPass = status === HTTP_TOO_MANY_REQUESTS || status >= 500;
    return {
      code: mayPass ? 'unavailable' : 'refused',
      detail: `HTTP ${status}`,
      retryAfterMs: pauseOf(headers.get('Retry-After') ?? ''),
    };
  } catch (cause) {
    const { message, cause: reason } = cause instanceof Error ? cause : new Error(String(cause));
    return { code: 'unavailable', detail: reason instanceof Error ? reason.message : message };
  }
}

/** @param value Retry-After: seconds or a date (RFC 9110, 10.2.3), perhaps twice @returns milliseconds */
function pauseOf(value: string): number {
  const seconds = Number.parseFloat(value);
  if (!Number.isNaN(seconds)) return Math.round(seconds * 1000);
  return Date.parse(value) - Date.now() || 0;
}
