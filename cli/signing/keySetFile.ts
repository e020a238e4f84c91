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
import { parseServer, readInput } from '../frame/input.ts';
import { usageFailure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/json.ts';

const FETCH_TIMEOUT_MS = 10_000;
/** A set has a few keys of some 250 characters. */
const TEXT_MAX = 2 ** 20;
const NAME_SET = 'Name the set of public keys with --keys.';

/** The set that is built into the function and served by Hosting. */
export const DEFAULT_KEY_SET = relative(
  process.cwd(),
  fileURLToPath(new URL('../../functions/src/signatures/publicKeys.json', import.meta.url)),
);

/** Reads the set to change it. @throws Failure (exit status 2) unless the file is a valid set */
export function readKeySet(file: string): PublicKeySet {
  const set = publicKeySetSchema.safeParse(parseJson(readInput(file, NAME_SET)));
  if (set.success) return set.data;
  throw usageFailure(
    `${file} is not a JWK Set of Ed25519 keys with distinct ids. Restore it from the Git history.`,
    set.error,
  );
}

const verifyingSet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/**
 * Reads keys to verify evidence with. As for the clients, a key that cannot be used does not make the others
 * useless.
 *
 * @param source a file, or the URL of a set
 */
export async function readVerifyingKeys(source: string): Promise<readonly PublicKey[]> {
  const isUrl = /^https?:\/\//.test(source);
  const text = isUrl ? await fetchText(parseServer(source)) : readInput(source, NAME_SET);
  const set = verifyingSet.safeParse(parseJson(text));
  if (set.success) return set.data.keys;
  throw usageFailure(`${source} is not a JWK Set. Check the address.`, set.error);
}

async function fetchText(url: URL): Promise<string> {
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const response = await fetch(url, { signal, redirect: 'error' });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length > TEXT_MAX) throw new Error('more than 1 MiB');
    }
    return text;
  } catch (cause) {
    throw usageFailure(
      `The public keys cannot be fetched from ${url.href}. Check the address.`,
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
