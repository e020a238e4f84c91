// The set of public keys that is served: a JWK Set (RFC 7517), with the times of OpenID Federation 1.0, 8.7.

import * as z from 'zod';

/** A public key. A retired or leaked one stays in the set, so that what it signed before can be verified. */
const publicKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  /** 32 bytes in base64url. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The thumbprint of the key. */
  kid: z.string(),
  use: z.literal('sig').optional(),
  /** Seconds since the epoch: when it was made; nothing that was signed before is valid. */
  nbf: z.int().optional(),
  /** Seconds since the epoch: when it was retired; nothing that was signed later is valid. */
  exp: z.int().optional(),
  /** The private key leaked: from this time on, in seconds since the epoch, others may have signed. */
  revoked: z.object({ revoked_at: z.int(), reason: z.literal('compromised') }).optional(),
});

export type PublicKey = z.infer<typeof publicKeySchema>;

export const publicKeySetSchema = z.object({
  // With two keys of one id, their order would decide what is valid.
  keys: z
    .array(publicKeySchema)
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, {
      error: 'two keys have the same id',
    }),
});
export type PublicKeySet = z.infer<typeof publicKeySetSchema>;

/** The path at which Hosting serves the set, below the origin. */
export const KEY_SET_PATH = '/.well-known/http-message-signatures-directory';
