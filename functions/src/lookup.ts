// Handles a lookup from request to response (specification, 4.1), without a server.

import {
  hashApiKey,
  type KeyHash,
  keyId,
  type Mode,
  parseKeyRecord,
} from '../../records/apiKey.ts';
import type { Attestation } from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import type { Wallet } from '../../records/wallet.ts';
import { readAttestations, type Summary, summarize } from './attestations.ts';
import { ApiError, ERRORS, type ErrorBody, type ErrorCode } from './errors.ts';
import { GoogleError } from './google/exchange.ts';
import { describeCause, type Log } from './requestLog.ts';
import type { SignResponse } from './signatures/sign.ts';
import { parseSubject, resolveWallet, type SubjectSources } from './subject.ts';
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

export interface EndpointDeps extends SubjectSources {
  readonly log: Log;
  /** Undefined if responses are not signed. */
  readonly sign?: SignResponse | undefined;
}

/** The body of a successful response (specification, 2.2). */
export interface LookupResult extends Summary {
  /** In wallet mode only. */
  readonly wallet?: Wallet;
  readonly attestations: readonly Attestation[];
  readonly count: number;
}

/** What the log line says about a lookup, collected while it is handled. */
interface LogContext {
  mode?: Mode;
  /** Set for a key that has a record, active or not. Other keys are not logged. */
  project?: string | undefined;
  keyId?: string;
  count?: number;
}

/** One lookup, in the parts that its steps share. */
interface Lookup extends EndpointDeps {
  readonly context: LogContext;
  /** Aborted when the lookup has failed, or has taken too long. */
  readonly signal: AbortSignal;
}

/** Shared, because capturing a stack for each request would cost more than the rest of the clean-up. */
const ENDED = new GoogleError('the lookup has ended');

/**
 * The live endpoint (specification, 4.1) as a function from request to response. It never rejects.
 * Every failure becomes an error body, and a failure that is not the caller's is logged with its
 * cause.
 */
export function createEndpoint(deps: EndpointDeps): Endpoint {
  // Only keys that an admin has created are ever added, so the set stays small.
  const admittedKeys = new Set<KeyHash>();
  return async (request) => {
    const { requestId } = request;
    const startedAt = performance.now();
    const ended = new AbortController();
    const limit = setTimeout(() => ended.abort(ENDED), REQUEST_LIMIT_MS);
    const context: LogContext = {};
    let code: ErrorCode | 'ok' = 'ok';
    let cause: object | undefined;
    let response: LookupResponse;
    try {
      const lookup = { ...deps, context, signal: ended.signal };
      response = await lookUp(request, lookup, admittedKeys);
    } catch (error) {
      // Only a failed lookup can have reads in flight.
      ended.abort(ENDED);
      code = error instanceof ApiError ? error.code : 'internal';
      if (code === 'internal') cause = { cause: describeCause(error) };
      response = errorResponse(code, requestId);
    }
    clearTimeout(limit);
    const { status } = response;
    const severity = status >= 500 ? 'ERROR' : 'INFO';
    const durationMs = Math.round(performance.now() - startedAt);
    const { mode, project, keyId, count } = context;
    const line = { requestId, status, code, mode, project, keyId, count, durationMs, ...cause };
    deps.log({ severity, message: 'lookup', ...line });
    return response;
  };
}

/**
 * Google gives the function several URLs. If the host contains the function's name, the path is `/`.
 * Otherwise the path is the name.
 */
const SERVED_PATHS: ReadonlySet<string> = new Set(['/', '/pohAttestationsEndpoint']);

/** @throws ApiError, or the error of a dependency */
async function lookUp(
  { method, target, apiKey, requestId }: LookupRequest,
  lookup: Lookup,
  admittedKeys: Set<KeyHash>,
): Promise<LookupResponse> {
  if (target === undefined) throw new ApiError('malformed_request');
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  // The absolute form (`http://host/path`) is accepted too.
  const [path, ...rest] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (!SERVED_PATHS.has(path || '/')) throw new ApiError('not_found');
  const query = rest.join('?');
  if (!apiKey) throw new ApiError('unauthorized');
  const hash = hashApiKey(Buffer.from(apiKey, 'latin1'));

  const reading = isActive(hash, lookup);
  // A key that was admitted before will very likely be admitted again, so its subject is read
  // concurrently with its record. The record still decides. An unknown key costs one read only.
  const prefetch = admittedKeys.has(hash) ? lookUpSubject(query, lookup) : undefined;
  // If the key is refused, nobody awaits this promise.
  prefetch?.catch(() => undefined);
  if (!(await reading)) {
    admittedKeys.delete(hash);
    throw new ApiError('unauthorized');
  }
  admittedKeys.add(hash);
  const body = JSON.stringify(await (prefetch ?? lookUpSubject(query, lookup)));
  const signed = { status: 200, contentType: CONTENT_TYPE, body, requestId, query };
  return { status: 200, headers: { ...commonHeaders(requestId), ...lookup.sign?.(signed) }, body };
}

/** Reads a key's record, which always costs one document read. */
async function isActive(hash: KeyHash, { firestore, log, context, signal }: Lookup) {
  const stored = await firestore.readDocument(`${COLLECTIONS.apiKeys}/${hash}`, signal);
  if (!stored) return false;
  const { active, project } = parseKeyRecord(stored);
  context.project = project;
  context.keyId = keyId(hash);
  if (typeof stored['active'] !== 'boolean') {
    const message = 'API key refused: its record has no boolean field active';
    log({ severity: 'WARNING', message, keyId: context.keyId });
  }
  return active;
}

async function lookUpSubject(query: string, lookup: Lookup): Promise<LookupResult> {
  const { firestore, log, context, signal } = lookup;
  const subject = parseSubject(query);
  context.mode = subject.mode;
  const wallet = await resolveWallet(subject, lookup, signal);
  const attestations = await readAttestations(firestore, wallet, log, signal);
  const { length: count } = attestations;
  context.count = count;
  const shown = subject.mode === 'wallet' && { wallet };
  return { ...shown, attestations, count, ...summarize(attestations) };
}

/**
 * Without `no-store`, Firebase Hosting would cache a 404 by its URL for ten minutes, and return it to
 * callers without a key. Without `no-transform`, a proxy might compress the body, which would
 * invalidate its Content-Digest.
 */
export const CACHE_CONTROL = 'no-store, no-transform';
const CONTENT_TYPE = 'application/json; charset=utf-8';

const commonHeaders = (requestId: string) => ({
  'Content-Type': CONTENT_TYPE,
  'Cache-Control': CACHE_CONTROL,
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
});

function errorResponse(code: ErrorCode, requestId: string): LookupResponse {
  const { status, message, headers: own } = ERRORS[code];
  const body: ErrorBody = { error: message, code, requestId };
  const headers = { ...commonHeaders(requestId), ...own };
  return { status, headers, body: JSON.stringify(body) };
}
