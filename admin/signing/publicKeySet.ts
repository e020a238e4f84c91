// Reads and writes the file of public keys (JWK Set, RFC 7517).

import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { PublicKey } from '../../clients/typescript/evidence.ts';
import {
  type PublicKeySet,
  publicKeySetSchema,
} from '../../functions/src/signatures/publicKeySet.ts';
import { parseAddress, parseJson, readInput } from '../frame/input.ts';
import { usageFailure } from '../terminal/failure.ts';

const FETCH_TIMEOUT_MS = 10_000;
/** A set has a few keys of some 250 characters. */
const TEXT_MAX = 2 ** 20;

/** The set that is built into the function and served by Hosting. */
export const DEFAULT_KEY_SET = relative(
  process.cwd(),
  fileURLToPath(new URL('../../functions/src/signatures/publicKeys.json', import.meta.url)),
);

/** @throws Failure (exit status 2) when the file does not exist or is not a valid set */
export function readKeySet(file: string): PublicKeySet {
  const bytes = readInput(file, 'Name the set of public keys with --keys.');
  return parseKeySet(bytes.toString('utf8'), file);
}

/** @param source a file, or the URL of a set */
export const readKeySetFrom = async (source: string): Promise<PublicKeySet> =>
  parseKeySet(await readText(source), source);

/**
 * Reads keys to verify evidence with. As for the clients, a key that cannot be used does not make the others
 * useless.
 *
 * @param source a file, or the URL of a set
 */
export async function readVerifyingKeys(source: string): Promise<readonly PublicKey[]> {
  const set = verifyingSetSchema.safeParse(parseJson(await readText(source)));
  if (set.success) return set.data.keys;
  throw usageFailure(`${source} is not a JWK Set. Check the address.`, set.error);
}

const verifyingSetSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

async function readText(source: string): Promise<string> {
  if (!/^https?:\/\//.test(source)) {
    return readInput(source, 'Name the set of public keys with --keys.').toString('utf8');
  }
  // Whoever can change the keys on their way decides which evidence is valid.
  parseAddress(source);
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const response = await fetch(source, { signal, redirect: 'error' });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length > TEXT_MAX) throw new Error('more than 1 MiB');
    }
    return text;
  } catch (cause) {
    throw usageFailure(
      `The public keys cannot be fetched from ${source}. Check the address.`,
      cause,
    );
  }
}

/** @param source the origin of the text, for the message */
function parseKeySet(text: string, source: string): PublicKeySet {
  try {
    return publicKeySetSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw usageFailure(
      `${source} is not a JWK Set of Ed25519 keys with distinct ids. Check the address, or restore the file from the Git history.`,
      cause,
    );
  }
}

/** Replaces the file atomically, so that an interrupted write does not destroy the set. */
export function writeKeySet(file: string, set: PublicKeySet): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(set, null, 2)}\n`);
  renameSync(draft, file);
}
