// Makes each check once, one request after the other, and times the deployment cold and warm.

import { Failure } from '../../terminal/failure.ts';
import { type Check, checksWith, codesWithoutCheck, TIMED } from './checks.ts';
import { differencesOf, type ReceivedResponse } from './differences.ts';
import { signatureDifferences } from './signature.ts';

/** More than the 10 seconds within which every request gets its response. */
const GIVE_UP_MS = 15_000;
const WARM_REQUESTS = 9;
/** The request of a browser before it lets a page of another site send a key. */
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
  /** Codes that cannot be requested: without a key, or by any well-formed request. */
  readonly notAsked: readonly string[];
  /** The first request, with its connection: cold where no instance was running. */
  readonly firstMs: number;
  /** Median of further ones. */
  readonly warmMs: number;
}

/**
 * @param url the address of the endpoint
 * @param key of an active record; undefined: what needs one is left out
 * @param publicKeys where those of signatures are; undefined: where they usually are
 * @throws Failure when nothing responds at all
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
    notAsked: codesWithoutCheck(requested),
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
    // Whatever responds with a redirect is not the function.
    redirect: 'manual',
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const unreachable = (url: string, cause: unknown): Failure =>
  new Failure(
    `Nothing responds at ${url}: ${reasonOf(cause)}. Check --url; \`npx firebase functions:list\` names it.`,
    { cause },
  );

/** What went wrong below fetch, whose own message is "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `not within ${GIVE_UP_MS / 1000} s`;
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
