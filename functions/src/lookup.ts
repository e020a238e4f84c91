// Handles a lookup from request to response (specification, 4.1), without a server.

import { CACHE_CONTROL, CONTENT_TYPE, ENDPOINT_PATH } from '../../contract/endpoint.ts';
import { ApiError, ERRORS, type ErrorBody, type ErrorCode } from '../../contract/errors.ts';
import { type LookupResult, summarize } from '../../contract/result.ts';
import { keyId } from '../../records/apiKey.ts';
import { hashHeader, openAdmission } from './admission.ts';
import { readAttestations } from './attestations.ts';
import { GoogleError } from './google/exchange.ts';
import { describeCause } from './requestLog.ts';
import {
  type EndpointDeps,
  type Lookup,
  parseSubject,
  resolveWallet,
  type Subject,
} from './subject.ts';
import { REQUEST_LIMIT_MS } from './timeLimits.ts';

export interface LookupRequest {
  readonly method: string;
  /** The raw request target (RFC 9112, 3.2). Undefined when the request is not valid HTTP/1.1. */
  readonly target: string | undefined;
  /** The header X-PoH-API-Key as Node decodes it, one character for each byte. */
  readonly apiKey: string | undefined;
  readonly requestId: string;
}

export interface LookupResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export type Endpoint = (request: LookupRequest) => Promise<LookupResponse>;

/** Shared, because capturing a stack for each request would cost more than the rest of the clean-up. */
const ENDED = new GoogleError('the lookup has ended');

/**
 * The live endpoint (specification, 4.1) as a function from request to response. It never rejects.
 * Every failure becomes an error body, and a failure that is not the caller's is logged with its
 * cause.
 */
export function createEndpoint(deps: EndpointDeps): Endpoint {
  const admission = openAdmission(deps.readsPerSecond);
  return async (request) => {
    const { requestId } = request;
    const startedAt = performance.now();
    const ended = new AbortController();
    const limit = setTimeout(() => ended.abort(ENDED), REQUEST_LIMIT_MS);
    const lookup: Lookup = { ...deps, signal: ended.signal, reads: 0 };
    let code: ErrorCode | 'ok' = 'ok';
    let cause: object | undefined;
    let response: LookupResponse;
    try {
      response = await lookUp(request, lookup, admission);
    } catch (error) {
      // Only a failed lookup can have reads in flight.
      ended.abort(ENDED);
      const failure = error instanceof ApiError ? error : new ApiError('internal');
      if (failure !== error) cause = describeCause(error);
      code = failure.code;
      response = errorResponse(failure, requestId);
    }
    clearTimeout(limit);
    const { status } = response;
    const severity = status >= 500 ? 'ERROR' : 'INFO';
    const durationMs = Math.round(performance.now() - startedAt);
    const { mode, key, count } = lookup;
    const line = { requestId, status, code, mode, ...key, count, durationMs, cause };
    deps.log({ severity, message: 'lookup', ...line });
    return response;
  };
}

/**
 * Google gives the function several URLs. If the host contains the function's name, the path is `/`.
 * Otherwise the path is the name.
 */
const SERVED_PATHS: ReadonlySet<string> = new Set(['/', ENDPOINT_PATH]);

/** @throws ApiError, or the error of a dependency */
async function lookUp(
  { method, target, apiKey, requestId }: LookupRequest,
  lookup: Lookup,
  admission: ReturnType<typeof openAdmission>,
): Promise<LookupResponse> {
  if (target === undefined) throw new ApiError('malformed_request');
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  // The absolute form (`http://host/path`) is accepted too.
  const [path, ...rest] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (!SERVED_PATHS.has(path || '/')) throw new ApiError('not_found');
  const query = rest.join('?');
  if (!apiKey) throw new ApiError('unauthorized');
  const hash = hashHeader(apiKey);

  const recalled = admission.recall(hash);
  const now = performance.now();
  // Thrown here, because the same error takes a tenth more CPU when another function throws it.
  if (recalled && recalled.emptyAt >= now) {
    lookup.key = { project: recalled.record.project, keyId: keyId(hash) };
    const seconds = Math.floor((recalled.emptyAt - now) / 1_000) + 1;
    throw new ApiError('rate_limited', { 'Retry-After': `${seconds}` });
  }
  const subject = parseSubject(query);
  const admitted = admission.admit(hash, lookup);
  // A key that was admitted before will very likely be admitted again, so what it was allowed is read
  // concurrently with its record. The record still decides. An unknown key costs one read only.
  const isLikely = typeof subject === 'object' && recalled?.record.modes.includes(subject.mode);
  const prefetch = isLikely ? readSubject(subject, lookup) : undefined;
  // If the key is refused, nobody awaits this promise.
  prefetch?.catch(() => undefined);
  const { modes } = await admitted;
  try {
    if (typeof subject === 'string') throw new ApiError(subject);
    const { mode } = subject;
    lookup.mode = mode;
    if (!modes.includes(mode)) throw new ApiError('mode_not_allowed');
    const { wallet, attestations } = await (prefetch ?? readSubject(subject, lookup));
    const { length: count } = attestations;
    lookup.count = count;
    const shown = mode === 'wallet' && { wallet };
    const result: LookupResult = { ...shown, attestations, count, ...summarize(attestations) };
    const body = JSON.stringify(result);
    const signed = { status: 200, contentType: CONTENT_TYPE, body, requestId, query };
    const headers = { ...commonHeaders(requestId), ...lookup.sign?.(signed) };
    return { status: 200, headers, body };
  } finally {
    admission.charge(hash, lookup);
  }
}

async function readSubject(subject: Subject, lookup: Lookup) {
  const wallet = await resolveWallet(subject, lookup);
  return { wallet, attestations: await readAttestations(wallet, lookup) };
}

const commonHeaders = (requestId: string) => ({
  'Content-Type': CONTENT_TYPE,
  'Cache-Control': CACHE_CONTROL,
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
});

function errorResponse({ code, message, headers }: ApiError, requestId: string): LookupResponse {
  const body: ErrorBody = { error: message, code, requestId };
  const all = { ...commonHeaders(requestId), ...headers };
  return { status: ERRORS[code].status, headers: all, body: JSON.stringify(body) };
}
