// Owns the form of the keys that are issued. The endpoint admits any key whose hash is on record.

import { randomBytes } from 'node:crypto';
import bs58check from 'bs58check';

const PREFIX = 'poh_';
const SECRET_BYTES = 32;

/** Finds such a key in any text, for secret scanners too; its checksum tells a real one. */
export const API_KEY_PATTERN = /\bpoh_[1-9A-HJ-NP-Za-km-z]{44,50}\b/;

/** `poh_` and the Base58Check encoding (4-byte double SHA-256 checksum) of a secret. */
export const formatApiKey = (secret: Uint8Array): string => PREFIX + bs58check.encode(secret);

/** A new key, from the operating system's randomness. */
export const newApiKey = (): string => formatApiKey(randomBytes(SECRET_BYTES));
