// Public Ed25519 keys (RFC 8037) and their thumbprints.

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { PublicKey } from './publicKeySet.ts';

/** The thumbprint of RFC 7638: SHA-256 over the required members, sorted by name, in base64url. */
export const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** @param key a private or public Ed25519 key @returns the public key, 32 bytes in base64url */
export function publicBytesOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'jwk' }).x ?? '';
}

/** Whether new signatures with the key are invalid, because it was retired or has leaked. */
export const isRetired = ({ exp, revoked }: PublicKey): boolean =>
  exp !== undefined || revoked !== undefined;
