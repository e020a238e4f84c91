// The format of the keys that we issue. The endpoint accepts any key whose hash has a record.

import bs58check from 'bs58check';

/** Finds a key in any text. Secret scanners can use it too. It does not verify the checksum. */
export const API_KEY_PATTERN = /\bpoh_[1-9A-HJ-NP-Za-km-z]{44,50}\b/;

/**
 * Makes a key of `poh_` and the Base58Check encoding of 32 secret bytes (4-byte double SHA-256 checksum).
 *
 * @param randomBytes the platform's cryptographic random number generator
 */
export const newApiKey = (randomBytes: (count: number) => Uint8Array): string =>
  `poh_${bs58check.encode(randomBytes(32))}`;
