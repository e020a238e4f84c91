// The command `smoke`: checks a deployment's responses against the contract. Sends the checks one after the other, and
// verifies signatures.

import * as z from 'zod';
import { InvalidEvidence, verifyEvidence } from '../../clients/typescript/evidence.ts';
import { KEY_HEADER, KEY_SET_PATH } from '../../contract/endpoint.ts';
import { contentDigest } from '../../functions/src/signatures/sign.ts';
import { parseAddress, parseServer, readInput } from '../frame/input.ts';
import { note, printTable } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { AdminCommand } from '../frame/target.ts';
import { DEFAULT_KEY_SET, readKeySet } from '../signing/commands.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import {
  type Check,
  checksWith,
  differencesOf,
  endpointOf,
  GIVE_UP_MS,
  type ReceivedResponse,
} from './checks.ts';

export function addSmokeCommand(program: AdminCommand): void {
  program
    .command('smoke')
    .description(
      'check the errors and one lookup of a deployment, and report differences from the contract',
    )
    .requiredOption('--url <base>', 'the address of the site or function (required)', parseServer)
    .option('--key-file <file>', 'a file with an API key, to check requests that need one too')
    .option(
      '--verified <wallet>',
      'a wallet that is known to be verified, to look up',
      parseAddress,
    )
    .addHelpText('after', '\nExit status: 0 no differences, 1 differences or no response, 2 usage.')
    .example('smoke --url https://SITE --key-file key.txt')
    .action(smoke);
}

interface SmokeOptions {
  readonly url: URL;
  readonly keyFile?: string;
  readonly verified?: string;
}

function readKeyFile(file: string): string {
  const key = readInput(file).trim();
  // The message does not repeat the text, which may still be a key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure(`${file} is not one key on one line.`);
  return key;
}

/** @throws Failure when the first request gets no response */
async function smoke({ url: base, keyFile, verified }: SmokeOptions): Promise<void> {
  const url = endpointOf(base);
  const key = keyFile === undefined ? undefined : readKeyFile(keyFile);
  // Only a lookup is signed.
  const published = key === undefined ? undefined : await readKeys(url);
  const results: { check: Check; differences: string[]; ms: number }[] = [];
  for (const check of checksWith(key, verified)) {
    const startedAt = performance.now();
    const differences = await request(url, check).then(
      (received) => [
        ...differencesOf(check, received),
        ...signatureDifferences(url + check.target, received, published?.keys),
      ],
      (cause: unknown) => {
        const reason = reasonOf(cause);
        if (results.length > 0) return [`no response: ${reason}`];
        throw new Failure(
          `Nothing responds at ${url}: ${reason}. Check --url. \`npx firebase functions:list\` shows the address.`,
          { cause },
        );
      },
    );
    results.push({ check, differences, ms: Math.round(performance.now() - startedAt) });
  }
  note(url);
  await printTable(results, {
    REQUEST: ({ check }) => check.name,
    EXPECTED: ({ check }) => check.expected,
    // The first one includes its connection, and a cold start if no instance was running.
    MS: ({ ms }) => String(ms),
    RESULT: ({ differences }) => differences.join('; ') || 'as expected',
  });
  if (published) note(`Public keys for the signature: ${published.source}`);
  else note('Without --key-file, no lookup and none of its errors was requested.');
  if (results.every(({ differences }) => differences.length === 0)) return;
  note(
    'The deployment differs from this checkout. Deploy it again, or roll back. If a lookup got a 401, use an active key of this deployment.',
  );
  currentRun().exitStatus = 1;
}

/** The headers of a browser's CORS preflight. */
const PREFLIGHT = { Origin: 'https://smoke.invalid', 'Access-Control-Request-Method': 'GET' };

async function request(url: string, { method, target, key }: Check): Promise<ReceivedResponse> {
  const response = await fetch(url + target, {
    method,
    headers: {
      ...(method === 'OPTIONS' && PREFLIGHT),
      ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { [KEY_HEADER]: key }),
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
type PublicKeys = z.infer<typeof publishedSet>['keys'];

/** @returns the keys that the deployment serves, or else those of this checkout, and the URL or file */
async function readKeys(url: string): Promise<{ keys: PublicKeys; source: string }> {
  const published = new URL(KEY_SET_PATH, url).href;
  try {
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const response = await fetch(published, { redirect: 'error', signal });
    return { keys: publishedSet.parse(await response.json()).keys, source: published };
  } catch {
    return { keys: readKeySet(DEFAULT_KEY_SET).keys, source: DEFAULT_KEY_SET };
  }
}

/** @returns what is wrong with the signature of a response, empty if it is valid or not needed */
function signatureDifferences(
  url: string,
  { status, headers, body }: ReceivedResponse,
  keys: PublicKeys | undefined,
): string[] {
  if (status !== 200 || !keys) return [];
  if (!headers.has('Signature')) {
    const isActive = keys.some(({ exp, revoked }) => exp === undefined && revoked === undefined);
    return isActive ? ['not signed, although a key is active'] : [];
  }
  const header = (name: string): string => headers.get(name) ?? '';
  const [requestId, signatureInput] = [header('X-Request-Id'), header('Signature-Input')];
  try {
    verifyEvidence({ url, body, requestId, signatureInput, signature: header('Signature') }, keys);
    // The signature covers the digest of the body, but not the header's text.
    const digest = contentDigest(body);
    return header('Content-Digest') === digest ? [] : ['Content-Digest is not that of the body'];
  } catch (error) {
    if (error instanceof InvalidEvidence) return [`${error.reason}: ${error.message}`];
    throw error;
  }
}
