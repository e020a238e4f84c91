// Calls the JSON-RPC methods of a Solana node. Every call is limited in time and size, and is repeated after a
// transient failure. Every failure is a `Failure` with a code of `CHAIN_FAILURES`.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { currentRun } from '../frame/run.ts';
import { Failure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/parseJson.ts';

const MIB = 2 ** 20;
const HTTP_TOO_MANY_REQUESTS = 429;

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

const LATER = 'Run it again later, or use another endpoint.';
const ADDRESS = 'Check that the address is a Solana JSON-RPC endpoint.';
const ACCESS = 'Check the address, the network, and your access to the endpoint.';

/**
 * All failures, none of which tells whether an account exists. `says` completes a sentence that begins with the
 * endpoint. The same request may succeed a little later if the failure is `transient`.
 */
const CHAIN_FAILURES = {
  rate_limited: { says: 'limits the rate of requests', advice: LATER, transient: true },
  timed_out: { says: 'did not respond in time', advice: LATER, transient: true },
  disconnected: { says: 'could not be reached or hung up', advice: ACCESS, transient: true },
  unavailable: { says: 'responded that it is unavailable', advice: LATER, transient: true },
  malformed: { says: 'returned an unexpected response', advice: ADDRESS, transient: true },
  oversized: { says: 'sent a response that is too long', advice: ADDRESS, transient: false },
  refused: { says: 'refused the request', advice: ACCESS, transient: false },
} as const;

export type ChainFailureCode = keyof typeof CHAIN_FAILURES;

/** JSON-RPC error codes. Some providers send the first two instead of HTTP 429. */
const RPC_FAILURES: ReadonlyMap<number, ChainFailureCode> = new Map([
  [429, 'rate_limited'],
  [-32429, 'rate_limited'],
  // Agave: the node is unhealthy because it is behind.
  [-32005, 'unavailable'],
  // Agave: the node has not reached the requested slot.
  [-32016, 'unavailable'],
  // JSON-RPC 2.0: internal error.
  [-32603, 'unavailable'],
]);

/** A failed attempt of a request. `message` completes a sentence that begins with the endpoint. */
class FailedAttempt extends Error {
  readonly code: ChainFailureCode;
  /** The pause that the endpoint requested, in milliseconds. */
  readonly retryAfterMs: number;

  /** @param detail a few words, e.g. "HTTP 429" */
  constructor(code: ChainFailureCode, detail: string, retryAfterMs = 0) {
    super(`${CHAIN_FAILURES[code].says} (${detail})`);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Calls a method, with a longer pause after each transient failure. It needs no jitter, because there is one
 * client with one request at a time.
 *
 * @param schema the schema of the result
 * @param methodLimits the limits of this method, unless the node has others
 * @throws Failure for the first permanent failure, or for the last attempt
 */
export async function callRpc<T>(
  { url, note, limits }: Node,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  methodLimits: Partial<RpcLimits> = {},
): Promise<T> {
  const limit = { ...DEFAULT_LIMITS, ...methodLimits, ...limits };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const id = randomUUID();
      const reply = post(url, { jsonrpc: '2.0', id, method, params }, limit);
      return resultOf(await currentRun().pause(reply), id, schema);
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
      const { advice, transient } = CHAIN_FAILURES[error.code];
      // Names only the host, because the rest of the address often contains the endpoint's key.
      const what = `${url.host} ${error.message}`;
      if (!transient || attempt >= limit.maxAttempts) {
        const after = attempt > 1 ? `, after ${attempt} attempts` : '';
        const message = `The chain could not be read: ${what}${after}. ${advice}`;
        throw new Failure(message, { code: error.code, cause: error });
      }
      const backoffMs = limit.initialBackoffMs * 2 ** (attempt - 1);
      const pauseMs = Math.min(Math.max(backoffMs, error.retryAfterMs), limit.maxBackoffMs);
      const next = `attempt ${attempt + 1} of ${limit.maxAttempts}`;
      note(`${what}; retrying in ${pauseMs / 1000} s (${next})`);
      await currentRun().pause(sleep(pauseMs));
    }
  }
}

/** @returns the text of the response @throws FailedAttempt */
async function post(
  url: URL,
  request: object,
  { timeoutMs, maxBytes }: RpcLimits,
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // Read here, because a connection that drops halfway must not look like a malformed response.
    const body = await readBody(response, maxBytes);
    if (response.ok) return body;
    throw httpFailure(response);
  } catch (error) {
    if (error instanceof FailedAttempt) throw error;
    const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
    if (name === 'TimeoutError') {
      throw new FailedAttempt('timed_out', `timeout after ${timeoutMs / 1000} s`);
    }
    throw new FailedAttempt('disconnected', cause instanceof Error ? cause.message : message);
  }
}

/** Throws as soon as the body is too long, which also closes the connection. */
async function readBody(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new FailedAttempt('oversized', `more than ${maxBytes / MIB} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function httpFailure({ status, headers }: Response): FailedAttempt {
  const detail = `HTTP ${status}`;
  if (status !== HTTP_TOO_MANY_REQUESTS) {
    return new FailedAttempt(status >= 500 ? 'unavailable' : 'refused', detail);
  }
  // In seconds (RFC 9110, 10.2.3). The form with a date is ignored.
  const seconds = Number(headers.get('Retry-After'));
  const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0;
  return new FailedAttempt('rate_limited', detail, retryAfterMs);
}

/** The code of an error. Its text is not used, because some nodes repeat the key in their address. */
const error = z.object({ code: z.number() });

/** @param id the request's, so that a reply to another request is malformed @throws FailedAttempt */
function resultOf<T>(body: string, id: string, schema: z.ZodType<T>): T {
  const json = parseJson(body);
  if (json === undefined) throw new FailedAttempt('malformed', 'not JSON');
  // A node that cannot read the request sends its error without the id.
  const failed = z.object({ id: z.literal(id).nullish(), error }).safeParse(json);
  if (failed.success) {
    const { code } = failed.data.error;
    throw new FailedAttempt(RPC_FAILURES.get(code) ?? 'refused', `JSON-RPC error ${code}`);
  }
  const parsed = z.object({ id: z.literal(id), result: schema }).safeParse(json);
  if (!parsed.success) throw new FailedAttempt('malformed', 'not the requested result');
  return parsed.data.result;
}
