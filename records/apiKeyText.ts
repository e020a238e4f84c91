// The text of the keys that are issued. The endpoint admits any key whose hash is on record.

import bs58check from 'bs58check';

const PREFIX = 'poh_';
const SECRET_BYTES = 32;

/** Finds such a key in any text, for secret scanners too; `isApiKeyText` checks the checksum as well. */
export const API_KEY_PATTERN = /\bpoh_[1-9A-HJ-NP-Za-km-z]{44,50}\b/;

/** `poh_` and the Base58Check encoding (4-byte double SHA-256 checksum) of a secret. */
export const formatApiKey = (secret: Uint8Array): string => PREFIX + bs58check.encode(secret);

/** @param randomBytes the platform's cryptographic randomness */
export const newApiKey = (randomBytes: (count: number) => Uint8Array): string =>
  formatApiKey(randomBytes(SECRET_BYTES));

/** Whether a text is such a key: its form, its length and its checksum. */
export const isApiKeyText = (text: string): boolean =>
  text.startsWith(PREFIX) &&
  bs58check.decodeUnsafe(text.slice(PREFIX.length))?.length === SECRET_BYTES;
