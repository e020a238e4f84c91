// The response to a lookup: status, headers and JSON text, the same for every outcome.

import { ApiError, type ErrorBody, type ErrorCode, errorRow } from './errors.ts';
import type { LookupResult } from './lookupResult.ts';

export interface LookupResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** How a lookup ended; a cause is there only when the failure was not the caller's. */
export type Outcome =
  | { readonly status: 200; readonly code: 'ok'; readonly result: LookupResult }
  | { readonly status: number; readonly code: ErrorCode; readonly cause?: unknown };

/** Maps a failure to its code: an `ApiError` into its own, anything else into `internal`. */
export async function toOutcome(work: Promise<LookupResult>): Promise<Outcome> {
  try {
    return { status: 200, code: 'ok', result: await work };
  } catch (error) {
    if (error instanceof ApiError) return { status: errorRow(error.code).status, code: error.code };
    return { status: errorRow('internal').status, code: 'internal', cause: error };
  }
}

/** @param requestId sent in the header X-Request-Id, and in the body of an error */
export function toResponse(requestId: string, outcome: Outcome): LookupResponse {
  const { headers, body } =
    'result' in outcome
      ? { headers: {}, body: outcome.result }
      : { headers: errorRow(outcome.code).headers, body: errorBody(outcome.code, requestId) };
  return {
    status: outcome.status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

const errorBody = (code: ErrorCode, requestId: string): ErrorBody => ({
  error: errorRow(code).message,
  code,
  requestId,
});
