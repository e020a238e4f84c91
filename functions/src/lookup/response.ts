// Builds the response to a lookup: its status, headers and JSON text.

import type { SignResponse } from '../signatures/sign.ts';
import { ApiError, type ErrorBody, type ErrorCode, errorRow } from './errors.ts';
import type { LookupResult } from './summary.ts';

/**
 * Without `no-store`, Firebase Hosting would cache a 404 by its URL for ten minutes, and return it to
 * callers without a key. Without `no-transform`, a proxy might compress the body, which would
 * invalidate its Content-Digest.
 */
export const CACHE_CONTROL = 'no-store, no-transform';
const CONTENT_TYPE = 'application/json; charset=utf-8';

type Headers = Readonly<Record<string, string>>;

export interface LookupResponse {
  readonly status: number;
  readonly headers: Headers;
  /** JSON text. */
  readonly body: string;
}

/** A result that is ready to send: its JSON text and its signature headers. */
export interface Success {
  readonly body: string;
  readonly signature: Headers;
}

/** How a lookup ended. Only `internal` has a cause, which is logged. */
export type Outcome =
  | { readonly status: 200; readonly code: 'ok'; readonly success: Success }
  | { readonly status: number; readonly code: ErrorCode; readonly cause?: unknown };

/** Maps a failure to its code: an `ApiError` to its own, anything else to `internal`. */
export async function toOutcome(work: Promise<Success>): Promise<Outcome> {
  try {
    return { status: 200, code: 'ok', success: await work };
  } catch (cause) {
    const code = cause instanceof ApiError ? cause.code : 'internal';
    return { status: errorRow(code).status, code, ...(code === 'internal' && { cause }) };
  }
}

/**
 * Writes a result as JSON, and signs it if signatures are on.
 * @param request the values of the request that the signature covers
 */
export function toSuccess(
  result: LookupResult,
  request: { readonly requestId: string; readonly query: string },
  sign: SignResponse | undefined,
): Success {
  const body = JSON.stringify(result);
  const signature = sign?.({ ...request, status: 200, contentType: CONTENT_TYPE, body }) ?? {};
  return { body, signature };
}

/** @param requestId sent in the header X-Request-Id, and in the body of an error */
export function toResponse(requestId: string, outcome: Outcome): LookupResponse {
  const common = {
    'Content-Type': CONTENT_TYPE,
    'Cache-Control': CACHE_CONTROL,
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  const { status } = outcome;
  if ('success' in outcome) {
    const { body, signature } = outcome.success;
    return { status, headers: { ...common, ...signature }, body };
  }
  const { message, headers } = errorRow(outcome.code);
  const body: ErrorBody = { error: message, code: outcome.code, requestId };
  return { status, headers: { ...common, ...headers }, body: JSON.stringify(body) };
}
