// The demonstration's signing key. It is derived from a public string and protects nothing, so never use it
// in a deployment.

import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { PublicKeySet } from '../../functions/src/signatures/publicKeySet.ts';
import { publicKeyOf } from '../../functions/src/signatures/sign.ts';

/** The PKCS #8 prefix of the 32 bytes of an Ed25519 private key (RFC 8410, 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed any text; the same seed always gives the same key */
export const signingKeyOf = (seed: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, createHash('sha256').update(seed).digest()]),
    format: 'der',
    type: 'pkcs8',
  });

/** The key as PKCS #8 in PEM, the format of the function's signing secret. */
export const pemOf = (key: KeyObject): string =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));

/** The set of the keys' public halves. */
export const publicKeySetOf = (...keys: readonly KeyObject[]): PublicKeySet => ({
  keys: keys.map(publicKeyOf),
});

export const DEMONSTRATION_SIGNING_KEY = signingKeyOf('demonstration');
