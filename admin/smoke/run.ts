// Sends the checks one after the other, verifies signatures, and times a cold and a warm instance.

import { createHash } from 'node:crypto';
import { InvalidEvidence, verifyEvidence } from '../../clients/typescript/evidence.ts';
import { contentDigest } from '../../functions/src/signatures/base.ts';
import { KEY_SET_PATH, type PublicKey } from '../../functions/src/signatures/publicKeySet.ts';
import { isRetired } from '../../functions/src/signatures/publicKeys.ts';
import { DEFAULT_KEY_SET, readKeySet, readKeySetFrom } from '../signing/publicKeySet.ts';
import { Failure } from '../terminal/failure.ts';
import {
  type Check,
  checksWith,
  codesWithoutCheck,
  differencesOf,
  type ReceivedResponse,
  TIMED,
} from './checks.ts';

/** Longer than the 10 seconds within which every request gets its response. */
const GIVE_UP_MS = 15_000;
const WARM_REQUESTS = 9;
/** The headers of a browser's CORS preflight. */
const PREFLIGHT = { Origin: 'https://smoke.invalid', 'Access-Control-Request-Method': 'GET' };

export interface CheckResult {
  readonly name: string;
  readonly expected: string;
  readonly differences: readonly string[];
  readonly ms: number;
}

export interface SmokeReport {
  readonly url: string;
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** The file or URL of the public keys for signatures; null without a key, since only a lookup is signed. */
  readonly publicKeys: string | null;
  /** Codes that were not requested, because they need a key or a malformed request. */
  readonly notRequested: readonly string[];
  /** Duration of the first request, including its connection; a cold start if no instance was running. */
  readonly firstMs: number;
  /** Median duration of the repeated request. */
  readonly warmMs: number;
}

/**
 * @param url the address of the endpoint
 * @param key an active key; undefined to omit the checks that need one
 * @param named file or URL of the public keys; undefined for the default
 * @throws Failure when the first request gets no response
 */
export async function runSmoke(
  url: string,
  key: string | undefined,
  named: string | undefined,
): Promise<SmokeReport> {
  const requested = checksWith(key);
  const publicKeys = key === undefined ? undefined : await readKeys(url, named);
  const checks: CheckResult[] = [];
  for (const check of requested) {
    checks.push(await resultOf(url, check, publicKeys, checks.length === 0));
  }
  const warm: number[] = [];
  for (let count = 0; count < WARM_REQUESTS; count += 1) {
    const { differences, ms } = await resultOf(url, TIMED, publicKeys, false);
    warm.push(ms);
    if (differences.length > 0)
      checks.push({ name: `${TIMED.name}, again`, expected: TIMED.expected, differences, ms });
  }
  warm.sort((a, b) => a - b);
  return {
    url,
    ok: checks.every(({ differences }) => differences.length === 0),
    checks,
    publicKeys: publicKeys?.source ?? null,
    notRequested: codesWithoutCheck(requested),
    firstMs: checks[0]?.ms ?? 0,
    warmMs: warm[(WARM_REQUESTS - 1) / 2] ?? 0,
  };
}

async function resultOf(
  url: string,
  check: Check,
  publicKeys: VerifyingKeys | undefined,
  isFirst: boolean,
): Promise<CheckResult> {
  const startedAt = performance.now();
  const received = await request(url, check).catch((cause: unknown) => {
    if (isFirst) throw unreachable(url, cause);
    return `no response: ${reasonOf(cause)}`;
  });
  const ms = Math.round(performance.now() - startedAt);
  const { name, expected } = check;
  if (typeof received === 'string') return { name, expected, differences: [received], ms };
  const differences = differencesOf(check, received);
  if (received.status === 200 && publicKeys) {
    differences.push(...signatureDifferences(url + check.target, received, publicKeys));
  }
  return { name, expected, differences, ms };
}

async function request(url: string, { method, target, key }: Check): Promise<ReceivedResponse> {
  const response = await fetch(url + target, {
    method,
    headers: {
      ...(method === 'OPTIONS' && PREFLIGHT),
      ...(key !== undefined && { 'X-PoH-API-Key': key }),
    },
    // The function never redirects.
    redirect: 'manual',
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const unreachable = (url: string, cause: unknown): Failure =>
  new Failure(
    `Nothing responds at ${url}: ${reasonOf(cause)}. Check --url. \`npx firebase functions:list\` shows the address.`,
    { cause },
  );

/** The cause of a failed fetch, since its own message is only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `timed out after ${GIVE_UP_MS / 1000} s`;
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

/** Public keys, and the file or URL that they are from. */
interface VerifyingKeys {
  readonly keys: readonly PublicKey[];
  readonly source: string;
}

/** @returns those of the named file or URL, or else those that the deployment serves, or else those of this checkout */
async function readKeys(url: string, named: string | undefined): Promise<VerifyingKeys> {
  const source = named ?? new URL(KEY_SET_PATH, url).href;
  try {
    return { ...(await readKeySetFrom(source)), source };
  } catch (error) {
    if (named !== undefined) throw error;
    return { ...readKeySet(DEFAULT_KEY_SET), source: DEFAULT_KEY_SET };
  }
}

/** @returns what is wrong with the signature of a response, empty if it is valid */
function signatureDifferences(
  url: string,
  { headers, body }: ReceivedResponse,
  { keys }: VerifyingKeys,
): string[] {
  if (!headers.has('Signature')) {
    return keys.some((key) => !isRetired(key)) ? ['not signed, although a key is active'] : [];
  }
  const field = (name: string): string => headers.get(name) ?? '';
  if (
    field('Content-Digest') !== contentDigest(createHash('sha256').update(body).digest('base64'))
  ) {
    return ['Content-Digest does not match the body'];
  }
  const [requestId, signatureInput] = [field('X-Request-Id'), field('Signature-Input')];
  try {
    verifyEvidence({ url, body, requestId, signatureInput, signature: field('Signature') }, keys);
    return [];
  } catch (error) {
    if (error instanceof InvalidEvidence) return [`${error.reason}: ${error.message}`];
    throw error;
  }
}
