// Signs the response of a successful lookup (RFC 9421, Ed25519), so that it can serve as evidence later.

import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';
import { byteSequence, contentDigest, LABEL, signatureBase, signatureParameters } from './base.ts';
import type { PublicKey } from './publicKeySet.ts';
import { isRetired, publicBytesOf, thumbprint } from './publicKeys.ts';

/** The private key's secret in Secret Manager, and its environment variable. */
export const SIGNING_SECRET = 'RESPONSE_SIGNING_KEY';

interface Signable {
  readonly status: number;
  readonly contentType: string;
  /** JSON text. */
  readonly body: string;
  readonly requestId: string;
  /** The raw query, without its question mark. */
  readonly query: string;
}

/** @returns the headers Content-Digest, Signature-Input and Signature */
export type SignResponse = (response: Signable) => Readonly<Record<string, string>>;

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** The thumbprint of the public key. */
  readonly keyId: string;
}

/** @param now milliseconds since the epoch */
export function createSigner({ privateKey, keyId }: SigningKey, now: () => number): SignResponse {
  return ({ status, contentType, body, requestId, query }) => {
    const digest = contentDigest(hash('sha256', body, 'base64'));
    const parameters = signatureParameters({ created: Math.floor(now() / 1000), keyId });
    // The response to HEAD has the headers of GET, and so GET's signature.
    const parts = { status, contentType, contentDigest: digest, requestId, method: 'GET', query };
    const base = signatureBase(parts, parameters);
    const signature = sign(null, base, privateKey).toString('base64');
    return {
      'Content-Digest': digest,
      'Signature-Input': `${LABEL}=${parameters}`,
      Signature: `${LABEL}=${byteSequence(signature)}`,
    };
  };
}

/** @param pem PKCS #8 @throws Error if it is not an Ed25519 private key; the message does not repeat it */
export function parseSigningKey(pem: string): SigningKey {
  let privateKey: KeyObject | undefined;
  try {
    // The line ends of a secret may be escaped if it was set on one line.
    privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Not reported, because the parser's message may repeat part of the key.
  }
  if (privateKey?.asymmetricKeyType === 'ed25519') {
    return { privateKey, keyId: thumbprint(publicBytesOf(privateKey)) };
  }
  throw new Error(
    `${SIGNING_SECRET} is not an Ed25519 private key in PKCS #8 PEM format. ` +
      'Create one with `npm run -s admin -- signing-keys create`.',
  );
}

/**
 * Reads the private key once, at start-up. Only an active key of the set may sign, because nobody could
 * verify another key's signatures. With an emulated database any key may sign.
 *
 * @param keys the set that this deployment was built with
 * @param now milliseconds since the epoch
 * @returns undefined if responses are not signed
 * @throws Error if a deployment that signs has no key, or if the key is unusable or not in the set
 */
export function readSigner(
  env: NodeJS.ProcessEnv,
  keys: readonly PublicKey[],
  now: () => number,
): SignResponse | undefined {
  const pem = env[SIGNING_SECRET];
  if (pem) {
    const key = parseSigningKey(pem);
    const isActive = keys.some((each) => each.kid === key.keyId && !isRetired(each));
    if (isActive || env['FIRESTORE_EMULATOR_HOST']) return createSigner(key, now);
    throw new Error(
      `${SIGNING_SECRET} is the private key of ${key.keyId}, which is not an active key of ` +
        'functions/src/signatures/publicKeys.json, so the function does not sign with it and does not start. ' +
        'Commit the set to which `signing-keys create` added the key, or create another key, and deploy again.',
    );
  }
  if (!keys.every(isRetired) && env['K_SERVICE']) {
    throw new Error(
      `${SIGNING_SECRET} is not set, but functions/src/signatures/publicKeys.json has a key that is not retired. ` +
        `Add a version with \`gcloud secrets versions add ${SIGNING_SECRET}\`, or retire the key.`,
    );
  }
  return undefined;
}
