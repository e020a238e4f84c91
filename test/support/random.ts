// Random subjects, so that data need not be cleared between test runs.

import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';

/** 32 random bytes in base58, for a wallet or any other address. */
export const randomAddress = (): string => bs58.encode(randomBytes(32));

/** 64 hex digits. */
export const randomContextHash = (): string => randomBytes(32).toString('hex');
