// Handles a lookup from request to response (specification, 4.1), without a server: its route, its key with the budget,
// its subject, what the key may look up, the reads, and the response with its signature.

import {
  ENDPOINT_PATH,
  KEY_ENDS_HEADER,
  MODES,
  type Mode,
  RESPONSE_HEADERS,
} from '../../contract/endpoint.ts';
import { ApiError, ERRORS, type ErrorBody, type ErrorCode } from '../../contract/errors.ts';
import {
  ATTESTATION_FIELDS,
  type Attestation,
  compareAttestations,
  type LookupResult,
  summarize,
} from '../../contract/result.ts';
import { type KeyHash, type KeyRecord, keyId, parseKeyRecord } from '../../records/apiKey.ts';
import { dedupe, parseAttestation } from '../../records/attestation.ts';
import { COLLECTIONS, type Stored } from '../../records/storedValues.ts';
import { parseTokenId, tokenStateAt } from '../../records/verificationToken.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { hashHeader, type KnownKeys, Visit } from './admission.ts';
import { type Accounts, parseEmail } from './google/authentication.ts';
import { GoogleError } from './google/exchange.ts';
import type { FirestoreReader, Reading } from './google/firestore.ts';
import { describeCause, type Log } from './requestLog.ts';
import type { SignResponse } from './signatures/sign.ts';
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
  readonly code: ErrorCode | 'ok';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export type Endpoint = (request: LookupRequest) => Promise<LookupResponse>;

/** What all lookups use. */
export interface EndpointDeps {
  readonly firestore: FirestoreReader;
  readonly accounts: Accounts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  /** Whether an account is found only if its e-mail address is verified. */
  readonly verifiedEmailOnly?: boolean;
  /** Undefined if responses are not signed. */
  readonly sign?: SignResponse | undefined;
  /** The reads per second of a key whose record has none. Undefined or 0 means unlimited. */
  readonly readsPerSecond?: number;
}

/** What a lookup has found out so far, for its log line and the headers of its response. Only this file writes it. */
interface Facts extends Reading {
  mode?: Mode;
  /** Set for a key that has a record, active or not. Other keys are not logged. */
  key?: { readonly project: string | undefined; readonly keyId: string };
  /** When the key ends, once it was admitted. */
  keyEndsAt?: number | undefined;
  count?: number | undefined;
}

/** Shared, because capturing a stack for each request would cost more than the rest of the clean-up. */
const ENDED = new GoogleError('the lookup has ended');

/**
 * The live endpoint (specification, 4.1) as a function from request to response. It never rejects.
 * Every failure becomes an error body, and a failure that is not the caller's is logged with its
 * cause.
 */
export function createEndpoint(deps: EndpointDeps): Endpoint {
  const knownKeys: KnownKeys = new Map();
  return async (request) => {
    const { requestId } = request;
    const startedAt = performance.now();
    const ended = new AbortController();
    const limit = setTimeout(() => ended.abort(ENDED), REQUEST_LIMIT_MS);
    const facts: Facts = { signal: ended.signal, reads: 0 };
    let cause: object | undefined;
    let response: LookupResponse;
    try {
      response = await lookUp(request, deps, knownKeys, facts);
    } catch (error) {
      // Only a failed lookup can have reads in flight.
      ended.abort(ENDED);
      const failure = error instanceof ApiError ? error : new ApiError('internal');
      if (failure !== error) cause = describeCause(error);
      response = refuse(failure, requestId);
    }
    clearTimeout(limit);
    const { code, status } = response;
    const severity = status >= 500 ? 'ERROR' : 'INFO';
    const durationMs = Math.round(performance.now() - startedAt);
    const { mode, key, keyEndsAt, count, reads } = facts;
    const line = { requestId, status, code, mode, ...key, count, reads, durationMs, cause };
    deps.log({ severity, message: 'lookup', ...line });
    if (keyEndsAt === undefined) return response;
    const end = new Date(keyEndsAt).toISOString().replace(/\.\d+/, '');
    return { ...response, headers: { ...response.headers, [KEY_ENDS_HEADER]: end } };
  };
}

/** @throws ApiError, or the error of a dependency */
async function lookUp(
  request: LookupRequest,
  deps: EndpointDeps,
  knownKeys: KnownKeys,
  facts: Facts,
): Promise<LookupResponse> {
  const query = queryOf(request);
  if (!request.apiKey) throw new ApiError('unauthorized');
  const hash = hashHeader(request.apiKey);
  const subject = parseSubject(query);

  const visit = new Visit(hash, knownKeys);
  const { expected } = visit;
  // A key that was admitted before will very likely be admitted again, so what it was allowed is read concurrently with
  // its record. An unknown key costs one read only.
  const prefetch =
    typeof subject === 'object' && expected?.modes.includes(subject.mode)
      ? readSubject(subject, expected, deps, facts)
      : undefined;
  // If the key is refused, nobody awaits this promise.
  prefetch?.catch(() => undefined);
  let isGivenUp = prefetch !== undefined;
  try {
    const record = await readKey(hash, deps, facts);
    visit.admit(record, deps.now(), deps.readsPerSecond || Infinity);
    facts.keyEndsAt = record.expiresAt;
    if (typeof subject === 'string') throw new ApiError(subject);
    const { mode } = subject;
    facts.mode = mode;
    if (!record.modes.includes(mode)) throw new ApiError('mode_not_allowed');
    // Another record may have taken the place of the one that was expected.
    const isUsable = prefetch && expected?.project === record.project;
    const found = await (isUsable ? prefetch : readSubject(subject, record, deps, facts));
    isGivenUp = false;
    facts.count = found?.attestations.length;
    const { requestId } = request;
    const response = found
      ? respond('ok', resultOf(found, mode), requestId)
      : refuse(new ApiError(mode === 'token' ? 'token_not_found' : 'email_not_found'), requestId);
    if (!deps.sign) return response;
    const { status, headers, body } = response;
    const contentType = RESPONSE_HEADERS['Content-Type'];
    const signature = deps.sign({ status, contentType, body, requestId, query });
    return { ...response, headers: { ...headers, ...signature } };
  } finally {
    visit.end(facts.reads, isGivenUp);
  }
}

/**
 * Google gives the function several URLs. If the host contains the function's name, the path is `/`.
 * Otherwise the path is the name.
 */
const SERVED_PATHS: ReadonlySet<string> = new Set(['/', ENDPOINT_PATH]);

/** @returns the raw query, without its question mark @throws ApiError if the request is for nothing that is served */
function queryOf({ method, target }: LookupRequest): string {
  if (target === undefined) throw new ApiError('malformed_request');
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed');
  // The absolute form (`http://host/path`) is accepted too.
  const [path, ...rest] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (!SERVED_PATHS.has(path || '/')) throw new ApiError('not_found');
  return rest.join('?');
}

/** Reads the key's record, which always costs one read. A key without a record gets an empty one. */
async function readKey(
  hash: KeyHash,
  { firestore, log }: EndpointDeps,
  facts: Facts,
): Promise<KeyRecord> {
  const stored = await firestore.readDocument(`${COLLECTIONS.apiKeys}/${hash}`, facts);
  const record = parseKeyRecord(stored ?? {});
  if (!stored) return record;
  facts.key = { project: record.project, keyId: keyId(hash) };
  if (typeof stored['active'] !== 'boolean') {
    const message = 'API key refused: its record has no boolean field active';
    log({ severity: 'WARNING', message, keyId: keyId(hash) });
  }
  return record;
}

interface Subject {
  readonly mode: Mode;
  /** As supplied, but without white space around it. Never empty. */
  readonly value: string;
}

/** @returns the subject, or the code that says why there is none; the caller may learn it only after its key was checked */
function parseSubject(query: string): Subject | ErrorCode {
  // A plus means a plus, not a space. It is common in e-mail addresses.
  // URLSearchParams drops one question mark, and a second one belongs to a name.
  const parameters = new URLSearchParams(`?${query.replaceAll('+', '%2B')}`);
  if (MODES.some((mode) => parameters.getAll(mode).length > 1)) return 'repeated_parameter';
  for (const mode of MODES) {
    const value = parameters.get(mode)?.trim();
    if (value) return { mode, value };
  }
  return 'missing_subject';
}

/** Reads the attestations of a subject. @returns undefined if the subject has no wallet */
async function readSubject(subject: Subject, key: KeyRecord, deps: EndpointDeps, facts: Facts) {
  const wallet = await resolveWallet(subject, key, deps, facts);
  return wallet && { wallet, attestations: await readAttestations(wallet, deps, facts) };
}

/** Resolves a subject to its wallet. A wallet needs no read, and other subjects need one. @throws ApiError `invalid_wallet` */
async function resolveWallet(
  { mode, value }: Subject,
  key: KeyRecord,
  { firestore, accounts, now, log, verifiedEmailOnly }: EndpointDeps,
  facts: Facts,
): Promise<Wallet | undefined> {
  if (mode === 'wallet') {
    const wallet = parseWallet(value);
    if (!wallet) throw new ApiError('invalid_wallet');
    return wallet;
  }
  if (mode === 'email') {
    const email = parseEmail(value);
    const [account, ...others] = email ? await accounts.findByEmail(email, facts.signal) : [];
    if (others.length > 0) {
      // Which of them is the person's cannot be told, and their order must not decide.
      const uids = [account, ...others].map((each) => each?.uid);
      log({ severity: 'WARNING', message: 'several accounts have one e-mail address', uids });
      return undefined;
    }
    if (account?.isDisabled || (verifiedEmailOnly && !account?.isVerified)) return undefined;
    return parseWallet(account?.claims['wallet']);
  }
  const id = parseTokenId(value);
  if (!id) return undefined;
  const stored = await firestore.readDocument(`${COLLECTIONS.verificationTokens}/${id}`, facts);
  const { wallet, project } = tokenStateAt(stored, now());
  // A token for another project looks like an unknown one.
  return project === undefined || project === key.project ? wallet : undefined;
}

/**
 * Reads the attestations of a wallet, sorted, with each `onChainAddress` once. Documents that violate
 * section 2.1 and duplicates are left out, and their paths are logged.
 */
async function readAttestations(
  wallet: Wallet,
  { firestore, log }: EndpointDeps,
  facts: Facts,
): Promise<Attestation[]> {
  const { attestations: collection } = COLLECTIONS;
  const query = { collection, field: 'wallet', equals: wallet, select: ATTESTATION_FIELDS };
  const leaveOut = (document: string, why: string, details: object): void =>
    log({ severity: 'WARNING', message: `attestation left out: ${why}`, document, ...details });
  const read = (fields: Stored, path: string) => {
    const parsed = parseAttestation(fields);
    if ('attestation' in parsed) return { path, attestation: parsed.attestation };
    leaveOut(path, 'the mirrored document is not valid', { field: parsed.invalidField });
    return undefined;
  };
  const { kept, copies } = dedupe(await firestore.queryDocuments(query, read, facts));
  for (const { copy, keptInstead } of copies) {
    const why = 'another document with its onChainAddress takes precedence';
    leaveOut(copy.path, why, { returnedInstead: keptInstead.path });
  }
  return kept.map(({ attestation }) => attestation).sort(compareAttestations);
}

type Found = NonNullable<Awaited<ReturnType<typeof readSubject>>>;

/** Only wallet mode returns the wallet. */
const resultOf = ({ wallet, attestations }: Found, mode: Mode): LookupResult => ({
  ...(mode === 'wallet' && { wallet }),
  attestations,
  count: attestations.length,
  ...summarize(attestations),
});

const refuse = ({ code, message, headers }: ApiError, requestId: string): LookupResponse =>
  respond(code, { error: message, code, requestId }, requestId, headers);

const respond = (
  code: LookupResponse['code'],
  body: LookupResult | ErrorBody,
  requestId: string,
  headers = {},
): LookupResponse => ({
  code,
  status: code === 'ok' ? 200 : ERRORS[code].status,
  headers: { ...RESPONSE_HEADERS, 'X-Request-Id': requestId, ...headers },
  body: JSON.stringify(body),
});
