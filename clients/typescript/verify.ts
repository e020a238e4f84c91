#!/usr/bin/env node
// The package's command, `poh-attestations verify`, which verifies stored evidence. It needs Node.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Evidence, InvalidEvidence, type PublicKey, verifyEvidence } from './evidence.ts';
import { parseAddress } from './parameters.ts';

const USAGE = `Usage: poh-attestations verify FILE --keys KEYS [--kept-since TIME] [--json]

Checks that the platform returned the response that a client stored as evidence.

  FILE          the evidence as JSON, alone or as the member "evidence" of an object
  --keys        the platform's public keys: its address, such as https://PROJECT.web.app, or a file with a JWK Set
  --kept-since  the earliest time at which the evidence provably existed, such as 2026-11-20T09:00:00Z; needed if its
                signing key has leaked since
  --json        prints the verdict as JSON

Exit status: 0 valid, 1 not valid, 2 not verified, because an option, a file or an address is wrong.`;

const OPTIONS = {
  keys: { type: 'string' },
  'kept-since': { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Reads JSON in UTF-8, or as Windows writes it, in UTF-8 or UTF-16 with a byte order mark. */
function readJson(file: string): Record<string, unknown> {
  const bytes = readFileSync(file);
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-8';
  try {
    return Object(JSON.parse(new TextDecoder(encoding, { fatal: true }).decode(bytes)));
  } catch {
    throw new Error(`${file} is not JSON.`);
  }
}

/** @param source the address of the platform, or a file */
async function readKeys(source: string): Promise<readonly PublicKey[]> {
  const { keys } = /^https?:/i.test(source) ? await fetchKeySet(source) : readJson(source);
  if (!Array.isArray(keys)) throw new Error(`${source} has no list "keys".`);
  return keys;
}

async function fetchKeySet(address: string): Promise<Record<string, unknown>> {
  const url = new URL('/.well-known/http-message-signatures-directory', parseAddress(address));
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) });
  return Object(await response.json());
}

function parseTime(text: string): Date {
  const isPrecise = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = new Date(isPrecise ? text : Number.NaN);
  // Without a time zone, that of the machine would decide whether the evidence is older than the leak.
  if (Number.isNaN(time.getTime()))
    throw new Error('Write --kept-since in the form 2026-11-20T09:00:00Z.');
  return time;
}

/** Removes control characters, since somebody else may have written the address, which is not signed. */
const printable = (text: string): string => text.replaceAll(/[^\P{C}]/gu, ' ');

const FLAGS = ['hasVerifiedHuman', 'votedCount', 'supportedCount'] as const;

/** @returns the exit status @throws Error if the evidence was not verified */
async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [command, file, ...rest] = positionals;
  if (command !== 'verify' || file === undefined || rest.length > 0 || values.keys === undefined)
    throw new Error(USAGE);
  const since = values['kept-since'];
  const keptSince = since === undefined ? undefined : parseTime(since);
  const stored = readJson(file);
  const evidence = Object(stored['evidence'] ?? stored) as Evidence;
  if (typeof evidence.url !== 'string' || typeof evidence.body !== 'string')
    throw new Error(`${file} is not evidence as a client stores it.`);
  const keys = await readKeys(values.keys);
  try {
    const signedAt = verifyEvidence(evidence, keys, keptSince).toISOString();
    const [, keyId = ''] = /keyid="([^"]+)"/.exec(evidence.signatureInput) ?? [];
    const { url, body } = evidence;
    const result = JSON.parse(body);
    if (values.json) console.log(JSON.stringify({ valid: true, signedAt, keyId, url, result }));
    else
      console.log(`valid: signed ${signedAt} by ${keyId}
requested: ${printable(url)} (the signature covers only the query)
returned: ${FLAGS.map((name) => `${name} ${result[name]}`).join(', ')}`);
    return 0;
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    const { reason, message } = error;
    const advice = reason === 'key_leaked' ? ' The option for it is --kept-since.' : '';
    if (values.json) console.log(JSON.stringify({ valid: false, reason, message }));
    else console.error(`${reason}: ${message}${advice}`);
    return 1;
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  // Any other status could be taken for a verdict.
  const { message, cause } = Object(error);
  console.error(cause?.message ?? message);
  process.exitCode = 2;
}
