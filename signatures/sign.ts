// Signs a 200 (RFC 9421, Ed25519), so that its result can be shown to others later.

import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';
import { byteSequence, contentDigest, LABEL, signatureBase, signatureParameters } from './base.ts';
import { publicBytesOf, thumbprint } from './publicKeys.ts';

/** The secret (Secret Manager), and so the variable, that the private key is in. */
export const SIGNING_SECRET = 'ANSWER_SIGNING_KEY';

export interface Signable {
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
    // HEAD has the response of the GET that it stands for, and so is signed as that.
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

/**
 * @param pem PKCS #8 in PEM
 * @throws Error when it is not an Ed25519 private key; the message does not contain it
 */
export function parseSigningKey(pem: string): SigningKey {
  let privateKey: KeyObject | undefined;
  try {
    // A secret that was set on one line may have its line ends escaped.
    privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // The parser's message may repeat a part of the key, so it is not reported.
  }
  if (privateKey?.asymmetricKeyType === 'ed25519') {
    return { privateKey, keyId: thumbprint(publicBytesOf(privateKey)) };
  }
  throw new Error(
    `${SIGNING_SECRET} is not an Ed25519 private key as PKCS #8 in PEM: ` +
      'make one with `npm run -s admin -- signing-keys create`.',
  );
}
