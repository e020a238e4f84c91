// Verifies the signature of a lookup's response, if it has one.

import { createHash } from 'node:crypto';
import { InvalidEvidence, verifyEvidence } from '../../clients/typescript/evidence.ts';
import { contentDigest } from '../../functions/src/signatures/base.ts';
import { KEY_SET_PATH } from '../../functions/src/signatures/publicKeySet.ts';
import { isRetired } from '../../functions/src/signatures/publicKeys.ts';
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
  { headers, body }: ReceivedResponse,
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
  const field = (name: string): string => headers.get(name) ?? '';
  if (
    field('Content-Digest') !== contentDigest(createHash('sha256').update(body).digest('base64'))
  ) {
    return ['Content-Digest does not match the body'];
  }
  const [requestId, signatureInput] = [field('X-Request-Id'), field('Signature-Input')];
  try {
    verifyEvidence({ url, body, requestId, signatureInput, signature: field('Signature') }, keys);
    return [];
  } catch (error) {
    if (error instanceof InvalidEvidence) return [`${error.reason}: ${error.message}`];
    throw error;
  }
}
