// Reads and writes the file of public keys (JWK Set, RFC 7517).

import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type PublicKeySet,
  publicKeySetSchema,
} from '../../functions/src/signatures/publicKeySet.ts';
import { readInput } from '../frame/input.ts';
import { usageFailure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/parseJson.ts';

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

/** Replaces the file atomically, so that an interrupted write does not destroy the set. */
export function writeKeySet(file: string, set: PublicKeySet): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(set, null, 2)}\n`);
  renameSync(draft, file);
}
