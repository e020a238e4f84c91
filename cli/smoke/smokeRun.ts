// Sends the checks one after the other, and verifies signatures.

import { hash } from 'node:crypto';
import * as z from 'zod';
import { InvalidEvidence, verifyEvidence } from '../../clients/typescript/evidence.ts';
import { contentDigest } from '../../functions/src/signatures/base.ts';
import { KEY_SET_PATH } from '../../functions/src/signatures/publicKeySet.ts';
import { DEFAULT_KEY_SET, readKeySet } from '../signing/keySetFile.ts';
import { Failure } from '../terminal/failure.ts';
import {
  type Check,
  checksWith,
  differencesOf,
  endpointOf,
  type ReceivedResponse,
} from './checks.ts';

/** Longer than the 10 seconds within which every request gets its response. */
const GIVE_UP_MS = 15_000;
/** The headers of a browser's CORS preflight. */
const PREFLIGHT = { Origin: 'https://smoke.invalid', 'Access-Control-Request-Method': 'GET' };

interface CheckResult {
  readonly name: string;
  readonly expected: string;
  readonly differences: readonly string[];
  /** The first request includes its connection, and a cold start if no instance was running. */
  readonly ms: number;
}

export interface SmokeReport {
  readonly url: string;
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** The file or URL of the public keys for signatures; null without a key, since only a lookup is signed. */
  readonly publicKeys: string | null;
}

/** Public keys, and the file or URL that they are from. */
type VerifyingKeys = Awaited<ReturnType<typeof readKeys>>;

/**
 * @param base the address of the site or of the function
 * @param key an active key; undefined to omit the checks that need one
 * @throws Failure when the first request gets no response
 */
export async function runSmoke(base: URL, key: string | undefined): Promise<SmokeReport> {
  const url = endpointOf(base);
  const publicKeys = key === undefined ? undefined : await readKeys(url);
  const checks: CheckResult[] = [];
  for (const check of checksWith(key)) {
    checks.push(await resultOf(url, check, publicKeys, checks.length === 0));
  }
  const ok = checks.every(({ differences }) => differences.length === 0);
  return { url, ok, checks, publicKeys: publicKeys?.source ?? null };
}

async function resultOf(
  url: string,
  check: Check,
  publicKeys: VerifyingKeys | undefined,
  isFirst: boolean,
): Promise<CheckResult> {
  const startedAt = performance.now();
  const differences = await request(url, check).then(
    (received) => [
      ...differencesOf(check, received),
      ...(received.status === 200 && publicKeys
        ? signatureDifferences(url + check.target, received, publicKeys)
        : []),
    ],
    (cause: unknown) => {
      const reason = reasonOf(cause);
      if (!isFirst) return [`no response: ${reason}`];
      throw new Failure(
        `Nothing responds at ${url}: ${reason}. Check --url. \`npx firebase functions:list\` shows the address.`,
        { cause },
      );
    },
  );
  const ms = Math.round(performance.now() - startedAt);
  return { name: check.name, expected: check.expected, differences, ms };
}

async function request(url: string, { method, target, key }: Check): Promise<ReceivedResponse> {
  const response = await fetch(url + target, {
    method,
    headers: {
      ...(method === 'OPTIONS' && PREFLIGHT),
      ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'X-PoH-API-Key': key }),
    },
    // Not JSON. Express would log it and respond in HTML, if it still had the server.
    ...(method === 'POST' && { body: '{' }),
    // The function never redirects.
    redirect: 'manual',
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `timed out after ${GIVE_UP_MS / 1000} s`;
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

/** Only what is needed to look for a key. As for the clients, an unusable key does not make the others useless. */
const publishedSet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** @returns the keys that the deployment serves, or else those of this checkout */
async function readKeys(url: string) {
  const published = new URL(KEY_SET_PATH, url).href;
  try {
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const response = await fetch(published, { redirect: 'error', signal });
    return { keys: publishedSet.parse(await response.json()).keys, source: published };
  } catch {
    return { keys: readKeySet(DEFAULT_KEY_SET).keys, source: DEFAULT_KEY_SET };
  }
}

/** @returns what is wrong with the signature of a response, empty if it is valid */
function signatureDifferences(
  url: string,
  received: ReceivedResponse,
  { keys }: VerifyingKeys,
): string[] {
  if (!received.headers.has('Signature')) {
    const isActive = keys.some(({ exp, revoked }) => exp === undefined && revoked === undefined);
    return isActive ? ['not signed, although a key is active'] : [];
  }
  const { headers, body } = received;
  const header = (name: string): string => headers.get(name) ?? '';
  const [requestId, signatureInput] = [header('X-Request-Id'), header('Signature-Input')];
  try {
    verifyEvidence({ url, body, requestId, signatureInput, signature: header('Signature') }, keys);
    // The signature covers the digest of the body, but not the header's text.
    const digest = contentDigest(hash('sha256', body, 'base64'));
    return header('Content-Digest') === digest ? [] : ['Content-Digest is not that of the body'];
  } catch (error) {
    if (error instanceof InvalidEvidence) return [`${error.reason}: ${error.message}`];
    throw error;
  }
}
