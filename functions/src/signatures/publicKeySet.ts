// The served set of public keys: a JWK Set (RFC 7517) with the times of OpenID Federation 1.0, 8.7.

import * as z from 'zod';

/** A public key. Retired and leaked keys stay in the set, to verify their earlier signatures. */
const publicKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  /** 32 bytes in base64url. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The thumbprint of the key. */
  kid: z.string(),
  use: z.literal('sig').optional(),
  /** When the key was created, in seconds since the epoch. Earlier signatures are not valid. */
  nbf: z.int().optional(),
  /** When the key was retired, in seconds since the epoch. Later signatures are not valid. */
  exp: z.int().optional(),
  /** Set if the private key leaked. Others may have signed with it since `revoked_at` (seconds since the epoch). */
  revoked: z.object({ revoked_at: z.int(), reason: z.literal('compromised') }).optional(),
});

export type PublicKey = z.infer<typeof publicKeySchema>;

export const publicKeySetSchema = z.object({
  // If two keys had the same id, their order would decide which signatures are valid.
  keys: z
    .array(publicKeySchema)
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, {
      error: 'two keys have the same id',
    }),
});
export type PublicKeySet = z.infer<typeof publicKeySetSchema>;
