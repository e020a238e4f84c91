// The public keys of signatures: a JWK Set (RFC 7517) of Ed25519 keys (RFC 8037).

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';

/** A public key. A retired one stays in the set, so that what it signed before can be verified. */
export const publicKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  /** 32 bytes in base64url. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The thumbprint of the key. */
  kid: z.string(),
  use: z.literal('sig').optional(),
  /** Seconds since the epoch: when it was made. */
  nbf: z.int().optional(),
  /** Seconds since the epoch: when it was retired; nothing that was signed later is valid. */
  exp: z.int().optional(),
});

export type PublicKey = z.infer<typeof publicKeySchema>;

export const publicKeySetSchema = z.object({ keys: z.array(publicKeySchema) });
export type PublicKeySet = z.infer<typeof publicKeySetSchema>;

/** The path at which Hosting serves the set, below the origin. */
export const KEY_SET_PATH = '/.well-known/http-message-signatures-directory';

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

export const isRetired = ({ exp }: PublicKey): boolean => exp !== undefined;
