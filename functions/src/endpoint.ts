// Owns the request's way through a lookup, from request to answer. Does not know Express.

import { type Answer, answer, settle } from './answer.ts';
import { type AdmittedKey, hashApiKey, readAdmittedKey, SeenKeys } from './apiKeys.ts';
import { readAttestations } from './attestations.ts';
import { REQUEST_DEADLINE_MS, withinDeadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { LookupResult } from './lookupResult.ts';
import { describeCause, type Log } from './requestLog.ts';
import { splitTarget } from './requestTarget.ts';
import { type Mode, parseSubject, resolveWallet, type SubjectSources } from './subject.ts';
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
}

/** What a request's log line may tell, and what it must not: filled in as the request goes on. */
interface Trail {
  mode?: Mode;
  project?: string | undefined;
  count?: number;
  readonly secrets: (string | undefined)[];
}

/**
 * The live endpoint (specification, 4.1) as a function from request to answer. It never rejects:
 * every failure becomes an error body and, when it is not the caller's, a logged cause.
 */
export function createEndpoint(deps: EndpointDeps): (request: LookupRequest) => Promise<Answer> {
  const seenKeys = new SeenKeys();
  return async (request) => {
    const startedAt = performance.now();
    const trail: Trail = { secrets: [request.apiKey] };
    const outcome = await settle(
      withinDeadline(lookUp(request, deps, seenKeys, trail), REQUEST_DEADLINE_MS),
    );
    const { status, code } = outcome;
    deps.log({
      severity: status >= 500 ? 'ERROR' : 'INFO',
      message: 'lookup',
      requestId: request.requestId,
      status,
      code,
      mode: trail.mode,
      project: trail.project,
      count: trail.count,
      durationMs: Math.round(performance.now() - startedAt),
      ...('cause' in outcome && { cause: describeCause(outcome.cause, trail.secrets) }),
    });
    return answer(request.requestId, outcome);
  };
}

async function lookUp(
  request: LookupRequest,
  deps: EndpointDeps,
  seenKeys: SeenKeys,
  trail: Trail,
): Promise<LookupResult> {
  checkSurface(request);
  const { query } = splitTarget(request.target);
  if (!request.apiKey) throw new ApiError('unauthorized');
  const hash = hashApiKey(Buffer.from(request.apiKey, 'latin1'));
  trail.secrets.push(hash);

  const admission = readAdmittedKey(deps.firestore, hash, deps.log);
  // A key seen before will very likely be admitted again: its subject is read side by side with
  // its record, whose answer still decides. An unknown key costs its one read and nothing else.
  const ahead = seenKeys.has(hash) ? readSubject(query, deps, trail) : undefined;
  // Awaited below; only when the key is refused does nobody want its outcome.
  ahead?.catch(() => undefined);
  trail.project = (await admitted(admission, () => seenKeys.delete(hash))).project;
  seenKeys.add(hash);
  return await (ahead ?? readSubject(query, deps, trail));
}

async function admitted(admission: Promise<AdmittedKey>, forget: () => void): Promise<AdmittedKey> {
  try {
    return await admission;
  } catch (error) {
    forget();
    throw error;
  }
}

async function readSubject(query: string, deps: EndpointDeps, trail: Trail): Promise<LookupResult> {
  const subject = parseSubject(query);
  trail.mode = subject.mode;
  trail.secrets.push(subject.value);
  const wallet = await resolveWallet(subject, deps);
  trail.secrets.push(wallet);
  const attestations = await readAttestations(deps.firestore, wallet, deps.log);
  trail.count = attestations.length;
  return {
    ...(subject.mode === 'wallet' && { wallet }),
    attestations,
    count: attestations.length,
    ...summarize(attestations),
  };
}

function checkSurface({ method, target }: LookupRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  if (splitTarget(target).path !== '/') throw new ApiError('not_found');
}
