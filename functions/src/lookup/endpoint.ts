// Handles a lookup from request to response (specification, 4.1), without using Express.

import type { KeyHash } from '../../../records/apiKey.ts';
import type { SignResponse } from '../signatures/sign.ts';
import { REQUEST_LIMIT_MS, withinDeadline } from '../timeLimits.ts';
import { hashKeyBytes, readKey } from './apiKeys.ts';
import { readAttestations } from './attestations.ts';
import { ApiError } from './errors.ts';
import type { Log } from './logLine.ts';
import { type LogContext, lookupLine } from './requestLog.ts';
import type { RequestTarget } from './requestTarget.ts';
import { type LookupResponse, type Success, toOutcome, toResponse, toSuccess } from './response.ts';
import { parseSubject, resolveWallet, type SubjectSources } from './subject.ts';
import { type LookupResult, summarize } from './summary.ts';

export interface LookupRequest {
  readonly method: string;
  /** Undefined when the request is not valid HTTP/1.1. */
  readonly target: RequestTarget | undefined;
  /** The header X-PoH-API-Key as Node decodes it, one character for each byte. */
  readonly apiKey: string | undefined;
  readonly requestId: string;
}

export interface EndpointDeps extends SubjectSources {
  readonly log: Log;
  /** Undefined if responses are not signed. */
  readonly sign?: SignResponse | undefined;
}

/**
 * Google gives the function several URLs. If the host contains the function's name, the path is `/`.
 * Otherwise the path is the name.
 */
const SERVED_PATHS: ReadonlySet<string> = new Set(['/', '/pohAttestationsEndpoint']);

/** Shared, because capturing a stack for each request would cost more than the rest of the clean-up. */
const ENDED = new Error('the lookup has ended');

/**
 * The live endpoint (specification, 4.1) as a function from request to response. It never rejects.
 * Every failure becomes an error body, and a failure that is not the caller's is logged with its
 * cause.
 */
export function createEndpoint(
  deps: EndpointDeps,
): (request: LookupRequest) => Promise<LookupResponse> {
  // Only keys that an admin has created are ever added, so the set stays small.
  const admittedKeys = new Set<KeyHash>();
  return async (request) => {
    const startedAt = performance.now();
    const logContext: LogContext = {};
    const ended = new AbortController();
    const work = lookUp(request, deps, admittedKeys, logContext, ended.signal);
    const outcome = await toOutcome(withinDeadline(work, REQUEST_LIMIT_MS));
    // Only a failed lookup can have reads in flight.
    if (outcome.code !== 'ok') ended.abort(ENDED);
    const durationMs = Math.round(performance.now() - startedAt);
    deps.log(lookupLine(request.requestId, outcome, logContext, durationMs));
    return toResponse(request.requestId, outcome);
  };
}

async function lookUp(
  request: LookupRequest,
  deps: EndpointDeps,
  admittedKeys: Set<KeyHash>,
  logContext: LogContext,
  signal: AbortSignal,
): Promise<Success> {
  const { query } = requireServed(request);
  if (!request.apiKey) throw new ApiError('unauthorized');
  const hash = hashKeyBytes(Buffer.from(request.apiKey, 'latin1'));

  const reading = readKey(deps.firestore, hash, deps.log, signal);
  // A key that was admitted before will very likely be admitted again, so its subject is read
  // concurrently with its record. The record still decides. An unknown key costs one read only.
  const isLikely = admittedKeys.has(hash);
  const prefetch = isLikely ? lookUpSubject(query, deps, logContext, signal) : undefined;
  // If the key is refused, nobody awaits this promise.
  prefetch?.catch(() => undefined);
  const key = await reading;
  logContext.key = key;
  if (!key?.active) {
    admittedKeys.delete(hash);
    throw new ApiError('unauthorized');
  }
  admittedKeys.add(hash);
  const result = await (prefetch ?? lookUpSubject(query, deps, logContext, signal));
  return toSuccess(result, { requestId: request.requestId, query }, deps.sign);
}

async function lookUpSubject(
  query: string,
  deps: EndpointDeps,
  logContext: LogContext,
  signal: AbortSignal,
): Promise<LookupResult> {
  const subject = parseSubject(query);
  logContext.mode = subject.mode;
  const wallet = await resolveWallet(subject, deps, signal);
  const attestations = await readAttestations(deps.firestore, wallet, deps.log, signal);
  logContext.count = attestations.length;
  return {
    ...(subject.mode === 'wallet' && { wallet }),
    attestations,
    count: attestations.length,
    ...summarize(attestations),
  };
}

function requireServed({ method, target }: LookupRequest): RequestTarget {
  if (!target) throw new ApiError('malformed_request');
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  if (!SERVED_PATHS.has(target.path)) throw new ApiError('not_found');
  return target;
}
