// Calls the JSON-RPC methods of a Solana node. Every call is limited in time and size, and is repeated after a
// transient failure. Every failure is a `Failure` with a code of
// `CHAIN_FAILURES`.

import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { CHAIN_FAILURES, chainFailure, FailedAttempt, rpcFailureCode } from './chainFailure.ts';

const MIB = 2 ** 20;
const MESSAGE_MAX_CHARACTERS = 200;
const HTTP_TOO_MANY_REQUESTS = 429;

export interface RpcLimits {
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
  /** The maximum length of a response after decompression. */
  readonly maxBytes: number;
  /** The maximum number of attempts for one call. */
  readonly maxAttempts: number;
  /** The pause after the first failure. Each further pause is twice as long. */
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
}

/**
 * A response with 100 accounts is about 25 KiB long, without their data. The pauses are 15.5 seconds in total,
 * because public endpoints count requests in windows of 10 seconds.
 */
export const DEFAULT_LIMITS: RpcLimits = {
  timeoutMs: 10_000,
  maxBytes: 4 * MIB,
  maxAttempts: 6,
  initialBackoffMs: 500,
  maxBackoffMs: 30_000,
};

/** The requests to a node so far. */
export interface RequestCounts {
  /** The slot that later responses must have reached; null before the first response. */
  slot: number | null;
  requests: number;
  /** How many of the requests were retries. */
  repetitions: number;
}

/** A node, and what is counted and printed about the requests to it. */
export interface Node {
  readonly url: URL;
  /** Updated as requests are sent. */
  readonly counts: RequestCounts;
  /** Prints a line to the user before each retry. */
  readonly note: (text: string) => void;
  readonly limits?: Partial<RpcLimits>;
}

/**
 * Calls a method, with a longer pause after each transient failure. It needs no jitter, because there is one
 * client with one request at a time.
 *
 * @param schema the schema of the result
 * @param limits of this method, unless the node has others
 * @throws Failure for the first permanent failure, or for the last attempt
 */
export async function callRpc<T>(
  { url, counts, note, limits }: Node,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  methodLimits: Partial<RpcLimits> = {},
): Promise<T> {
  const limit = { ...DEFAULT_LIMITS, ...methodLimits, ...limits };
  for (let attempt = 1; ; attempt += 1) {
    counts.requests += 1;
    try {
      return resultOf(await post(url, { jsonrpc: '2.0', id: '1', method, params }, limit), schema);
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
      if (!CHAIN_FAILURES[error.code].transient || attempt >= limit.maxAttempts) {
        throw chainFailure(url, error, attempt);
      }
      const backoffMs = limit.initialBackoffMs * 2 ** (attempt - 1);
      const pauseMs = Math.min(Math.max(backoffMs, error.retryAfterMs), limit.maxBackoffMs);
      const next = `attempt ${attempt + 1} of ${limit.maxAttempts}`;
      note(`${url.host} ${error.message}; retrying in ${pauseMs / 1000} s (${next})`);
      counts.repetitions += 1;
      await sleep(pauseMs);
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
      throw new FailedAttempt('timed_out', `timeout after ${timeoutMs / 1000} s`, { cause: error });
    }
    const reason = cause instanceof Error ? cause.message : message;
    throw new FailedAttempt('disconnected', reason, { cause: error });
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
  return new FailedAttempt('rate_limited', detail, { retryAfterMs });
}

const rpcError = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

function resultOf<T>(body: string, schema: z.ZodType<T>): T {
  const json = parseJson(body);
  const failed = rpcError.safeParse(json);
  if (failed.success) {
    const { code, message } = failed.data.error;
    // The node's operator controls this text, and it is shown in a terminal.
    const reason = message.replaceAll(/\p{C}/gu, ' ').slice(0, MESSAGE_MAX_CHARACTERS);
    throw new FailedAttempt(rpcFailureCode(code), `JSON-RPC error ${code}: ${reason}`);
  }
  const parsed = z.object({ result: schema }).safeParse(json);
  if (!parsed.success) throw new FailedAttempt('malformed', 'not the requested result');
  return parsed.data.result;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FailedAttempt('malformed', 'not JSON', { cause });
  }
}
