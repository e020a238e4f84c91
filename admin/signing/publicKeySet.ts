// Reads and writes the file of public keys (JWK Set, RFC 7517).

import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type PublicKeySet,
  publicKeySetSchema,
} from '../../functions/src/signatures/publicKeySet.ts';
import { readInput } from '../frame/input.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';

const FETCH_TIMEOUT_MS = 10_000;

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
export async function readKeySetFrom(source: string): Promise<PublicKeySet> {
  if (!/^https?:\/\//.test(source)) return readKeySet(source);
  try {
    const response = await fetch(source, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return parseKeySet(await response.text(), source);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
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
