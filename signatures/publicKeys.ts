// Public keys of signatures: Ed25519 keys (RFC 8037) and their thumbprints.

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { PublicKey } from './publicKeySet.ts';

/** RFC 7638: SHA-256 over the required members in the order of their names, in base64url. */
export const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** @param key a private or public Ed25519 key @returns its public half: 32 bytes in base64url */
export function publicBytesOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'jwk' }).x ?? '';
}

/** Whether nothing that is signed with it from now on is valid: it was retired, or leaked. */
export const isRetired = ({ exp, revoked }: PublicKey): boolean =>
  exp !== undefined || revoked !== undefined;
