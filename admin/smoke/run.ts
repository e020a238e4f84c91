// Sends the checks one after the other, and times a cold and a warm instance.

import { Failure } from '../terminal/failure.ts';
import { type Check, checksWith, codesWithoutCheck, TIMED } from './checks.ts';
import { differencesOf, type ReceivedResponse } from './differences.ts';
import { signatureDifferences } from './signature.ts';

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
 * @param publicKeys file or URL of the public keys; undefined for the default
 * @throws Failure when the first request gets no response
 */
export async function runSmoke(
  url: string,
  key: string | undefined,
  publicKeys: string | undefined,
): Promise<SmokeReport> {
  const requested = checksWith(key);
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
    notRequested: codesWithoutCheck(requested),
    firstMs: checks[0]?.ms ?? 0,
    warmMs: warm[(WARM_REQUESTS - 1) / 2] ?? 0,
  };
}

async function resultOf(
  url: string,
  check: Check,
  publicKeys: string | undefined,
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
  if (received.status === 200) {
    differences.push(...(await signatureDifferences(url + check.target, received, publicKeys)));
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
