// Verifies stored evidence, one file or a folder of it, and prints only what the signature covers.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Evidence, InvalidEvidence, type PublicKey, verifyEvidence } from './evidence.ts';
import { parseAddress } from './parameters.ts';

export interface VerifyOptions {
  readonly keys: string;
  readonly keptSince: string | undefined;
  readonly json: boolean | undefined;
}

/** Writes control and invisible characters as escapes, also within JSON, since somebody else may have written them. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Reads text in UTF-8, or as Windows writes it, in UTF-8 or UTF-16 with a byte order mark. @throws TypeError */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

function readJson(file: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readText(file)));
  } catch (error) {
    if (Object(error).code !== undefined && !(error instanceof TypeError)) throw error;
    throw new Error(`${file} is not JSON.`);
  }
}

/** @param source the address of the operator, or a file */
async function readKeys(source: string): Promise<readonly PublicKey[]> {
  const { keys } = /^https?:/i.test(source) ? await fetchKeySet(source) : readJson(source);
  if (!Array.isArray(keys)) throw new Error(`${source} has no list "keys".`);
  return keys;
}

/** @returns the public keys of a platform, as a JWK Set */
export async function fetchKeySet(address: string): Promise<Record<string, unknown>> {
  const url = new URL('/.well-known/http-message-signatures-directory', parseAddress(address));
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${url} responded with HTTP ${response.status}.`);
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

const FLAGS = ['hasVerifiedHuman', 'votedCount', 'supportedCount'] as const;

/** @returns the verdict, and its lines for people @throws Error if the file is not evidence */
function verdictOf(file: string, keys: readonly PublicKey[], keptSince: Date | undefined) {
  const stored = readJson(file);
  const evidence = Object(stored['evidence'] ?? stored) as Evidence;
  if (typeof evidence.url !== 'string' || typeof evidence.body !== 'string')
    throw new Error(`${file} is not evidence as a client stores it.`);
  try {
    const { signedAt, keyId } = verifyEvidence(evidence, keys, keptSince);
    const { url, status = 200, body } = evidence;
    const time = signedAt.toISOString();
    const query = url.slice(url.indexOf('?'));
    const result = JSON.parse(body);
    const flags = FLAGS.map((name) => `${name} ${result[name]}`).join(', ');
    const returned = status === 200 ? flags : `HTTP ${status} ${result.code}`;
    const lines = [`valid: signed ${time} by ${keyId}`, `query: ${query}`, `returned: ${returned}`];
    return { json: { valid: true, signedAt: time, keyId, query, status, result }, lines };
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    const { reason, message } = error;
    const advice = reason === 'key_leaked' ? ' The option for it is --kept-since.' : '';
    return { json: { valid: false, reason, message }, lines: [`${reason}: ${message}${advice}`] };
  }
}

/** @returns the exit status: 1 if any evidence is not valid @throws Error if any was not verified */
export async function verify(
  path: string,
  { keys: source, keptSince, json: isJson }: VerifyOptions,
): Promise<number> {
  const since = keptSince === undefined ? undefined : parseTime(keptSince);
  const isFolder = statSync(path).isDirectory();
  const names = isFolder ? readdirSync(path).filter((name) => name.endsWith('.json')) : [''];
  if (names.length === 0) throw new Error(`${path} contains no files of evidence (*.json).`);
  const keys = await readKeys(source);
  let invalid = 0;
  for (const name of names) {
    const { json, lines } = verdictOf(isFolder ? join(path, name) : path, keys, since);
    invalid += json.valid ? 0 : 1;
    const shown = isFolder ? { file: name, ...json } : json;
    const text = isJson ? [JSON.stringify(shown)] : lines;
    const print = json.valid || isJson ? console.log : console.error;
    if (isFolder && !isJson) print(printable(`${basename(name, '.json')}: ${text.join('; ')}`));
    else for (const line of text) print(printable(line));
  }
  if (isFolder) console.error(`${names.length - invalid} valid, ${invalid} not valid`);
  return invalid > 0 ? 1 : 0;
}
