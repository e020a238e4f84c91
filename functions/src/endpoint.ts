// A lookup from request to response (specification, 4.1). Does not know Express.

import { hashKeyBytes, readKey, SeenKeys } from './apiKeys.ts';
import { readAttestations } from './attestations.ts';
import { REQUEST_DEADLINE_MS, withinDeadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { LookupResult } from './lookupResult.ts';
import { type Log, type LogContext, lookupEntry } from './requestLog.ts';
import { isServed, MALFORMED_PATH, splitTarget } from './requestTarget.ts';
import { type Found, type LookupResponse, toFound, toOutcome, toResponse } from './response.ts';
import type { SignResponse } from './responseSignature.ts';
import { parseSubject, resolveWallet, type SubjectSources } from './subject.ts';
import { summarize } from './summary.ts';

export interface LookupRequest {
  readonly method: string;
  /** The raw request target: path and query. */
  readonly target: string;
  /** The header X-PoH-API-Key as Node decodes it, one character for each byte. */
  readonly apiKey: string | undefined;
  readonly requestId: string;
}

export interface EndpointDeps extends SubjectSources {
  readonly log: Log;
  /** Left out where responses are not signed. */
  readonly sign?: SignResponse | undefined;
}

/** Created once: capturing its stack takes longer than everything else at the end of a lookup. */
const ENDED = new Error('the lookup has ended');

/**
 * The live endpoint (specification, 4.1) as a function from request to response. It never rejects:
 * every failure becomes an error body and, when it is not the caller's, a logged cause.
 */
export function createEndpoint(
  deps: EndpointDeps,
): (request: LookupRequest) => Promise<LookupResponse> {
  const seenKeys = new SeenKeys();
  return async (request) => {
    const startedAt = performance.now();
    const logContext: LogContext = { secrets: [request.apiKey] };
    const ended = new AbortController();
    const work = lookUp(request, deps, seenKeys, logContext, ended.signal);
    const outcome = await toOutcome(withinDeadline(work, REQUEST_DEADLINE_MS));
    ended.abort(ENDED);
    const durationMs = Math.round(performance.now() - startedAt);
    deps.log(lookupEntry(request.requestId, outcome, logContext, durationMs));
    return toResponse(request.requestId, outcome);
  };
}

async function lookUp(
  request: LookupRequest,
  deps: EndpointDeps,
  seenKeys: SeenKeys,
  logContext: LogContext,
  signal: AbortSignal,
): Promise<Found> {
  requireServedRoute(request);
  const { query } = splitTarget(request.target);
  if (!request.apiKey) throw new ApiError('unauthorized');
  const hash = hashKeyBytes(Buffer.from(request.apiKey, 'latin1'));
  logContext.secrets.push(hash);

  const reading = readKey(deps.firestore, hash, deps.log);
  // A key seen before will very likely be admitted again: its subject is read concurrently with
  // its record, which still decides. An unknown key costs its one read and nothing else.
  const prefetch = seenKeys.has(hash) ? lookUpSubject(query, deps, logContext, signal) : undefined;
  // Awaited below, unless the key is refused: then its outcome is not needed.
  prefetch?.catch(() => undefined);
  const key = await reading;
  logContext.key = key;
  if (!key?.active) {
    seenKeys.delete(hash);
    throw new ApiError('unauthorized');
  }
  seenKeys.add(hash);
  const result = await (prefetch ?? lookUpSubject(query, deps, logContext, signal));
  return toFound(result, { requestId: request.requestId, query }, deps.sign);
}

async function lookUpSubject(
  query: string,
  deps: EndpointDeps,
  logContext: LogContext,
  signal: AbortSignal,
): Promise<LookupResult> {
  const subject = parseSubject(query);
  logContext.mode = subject.mode;
  logContext.secrets.push(subject.value);
  const wallet = await resolveWallet(subject, deps, signal);
  logContext.secrets.push(wallet);
  const attestations = await readAttestations(deps.firestore, wallet, deps.log);
  logContext.count = attestations.length;
  return {
    ...(subject.mode === 'wallet' && { wallet }),
    attestations,
    count: attestations.length,
    ...summarize(attestations),
  };
}

function requireServedRoute({ method, target }: LookupRequest): void {
  const { path } = splitTarget(target);
  if (path === MALFORMED_PATH) throw new ApiError('malformed_request');
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  if (!isServed(path)) throw new ApiError('not_found');
}
