// The response to a lookup: status, headers and JSON text, the same for every outcome.

import type { SignResponse } from '../signing/signer.ts';
import { ApiError, type ErrorBody, type ErrorCode, errorRow } from './errors.ts';
import type { LookupResult } from './summary.ts';

/**
 * Without `no-store` Firebase Hosting would cache a 404 by its URL for ten minutes, and return it to callers without a
 * key. Without `no-transform` a proxy might compress the body, and its Content-Digest would be wrong.
 */
export const CACHE_CONTROL = 'no-store, no-transform';
const CONTENT_TYPE = 'application/json; charset=utf-8';

export interface LookupResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** A lookup's result as it is sent: its JSON text, and the headers that sign it. */
export interface Found {
  readonly body: string;
  readonly signature: Readonly<Record<string, string>>;
}

/** How a lookup ended; a cause is there only when the failure was not the caller's. */
export type Outcome =
  | { readonly status: 200; readonly code: 'ok'; readonly found: Found }
  | { readonly status: number; readonly code: ErrorCode; readonly cause?: unknown };

/** Maps a failure to its code: an `ApiError` into its own, anything else into `internal`. */
export async function toOutcome(work: Promise<Found>): Promise<Outcome> {
  try {
    return { status: 200, code: 'ok', found: await work };
  } catch (error) {
    if (error instanceof ApiError) return { status: errorRow(error.code).status, code: error.code };
    return { status: errorRow('internal').status, code: 'internal', cause: error };
  }
}

/**
 * Writes a result as JSON, and signs it where signatures are on.
 *
 * @param request what the signature binds the result to: the request's id and its raw query
 */
export function toFound(
  result: LookupResult,
  request: { readonly requestId: string; readonly query: string },
  sign: SignResponse | undefined,
): Found {
  const body = JSON.stringify(result);
  const signature = sign?.({ ...request, status: 200, contentType: CONTENT_TYPE, body }) ?? {};
  return { body, signature };
}

/** @param requestId sent in the header X-Request-Id, and in the body of an error */
export function toResponse(requestId: string, outcome: Outcome): LookupResponse {
  const { headers, body } =
    'found' in outcome
      ? { headers: outcome.found.signature, body: outcome.found.body }
      : { headers: errorRow(outcome.code).headers, body: errorText(outcome.code, requestId) };
  return {
    status: outcome.status,
    headers: {
      'Content-Type': CONTENT_TYPE,
      'Cache-Control': CACHE_CONTROL,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...headers,
    },
    body,
  };
}

function errorText(code: ErrorCode, requestId: string): string {
  const body: ErrorBody = { error: errorRow(code).message, code, requestId };
  return JSON.stringify(body);
}
