// Verifies the signature of a lookup's response, if it has one.

import { KEY_SET_PATH } from '../../functions/src/signatures/publicKeySet.ts';
import { isRetired } from '../../functions/src/signatures/publicKeys.ts';
import { REFUSALS, verifyExchange } from '../../functions/src/signatures/verify.ts';
import { DEFAULT_KEY_SET, readKeySet, readKeySetFrom } from '../signing/publicKeySet.ts';
import type { ReceivedResponse } from './differences.ts';

/**
 * @param url the requested URL; Hosting serves the public keys under its origin
 * @param source file or URL of the public keys; undefined for those of the deployment, or else those of
 *   this checkout
 * @returns what is wrong with the signature, empty if it is valid
 */
export async function signatureDifferences(
  url: string,
  { status, headers, body }: ReceivedResponse,
  source: string | undefined,
): Promise<string[]> {
  const { keys } = source
    ? await readKeySetFrom(source)
    : await readKeySetFrom(new URL(KEY_SET_PATH, url).href).catch(() =>
        readKeySet(DEFAULT_KEY_SET),
      );
  if (!headers.has('Signature')) {
    return keys.some((key) => !isRetired(key)) ? ['not signed, although a key is active'] : [];
  }
  const query = new URL(url).search.slice(1);
  const exchange = { url, query, status, headers: new Map(headers), body: Buffer.from(body) };
  const verification = verifyExchange(exchange, keys, { nowMs: Date.now() });
  return verification.valid ? [] : [REFUSALS[verification.refusal]];
}
