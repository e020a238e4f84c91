// What a wallet address is: parsed once, where it comes in, and trusted from then on.

import bs58 from 'bs58';

/** A Solana address: base58 of exactly 32 bytes. Only `parseWallet` makes one. */
export type Wallet = string & { readonly __brand: 'Wallet' };

const ADDRESS_BYTES = 32;
const ADDRESS_MAX_DIGITS = 44;

/**
 * Parses an untrusted value as a wallet address (specification, 4.1 rule 1).
 *
 * @param value anything, a query parameter or a stored field
 * @returns the address, or undefined when it is not base58 of 32 bytes
 */
export function parseWallet(value: unknown): Wallet | undefined {
  // Decoding takes quadratic time, so the length is bounded before it.
  if (typeof value !== 'string' || value.length > ADDRESS_MAX_DIGITS) return undefined;
  return bs58.decodeUnsafe(value)?.length === ADDRESS_BYTES ? (value as Wallet) : undefined;
}

/** A cheap necessary condition of base58 of 32 bytes: a lookup may have thousands of addresses. */
export const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
