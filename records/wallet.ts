// Wallet addresses. They are parsed once, when they are received, and trusted afterwards.

import bs58 from 'bs58';

/** A Solana address: base58 of exactly 32 bytes. Only `parseWallet` makes one. */
export type Wallet = string & { readonly __brand: 'Wallet' };

/**
 * Parses an untrusted value as a wallet address (specification, 4.1 rule 1).
 *
 * @param value any value, such as a query parameter or a stored field
 * @returns the address, or undefined if it is not base58 of 32 bytes
 */
export function parseWallet(value: unknown): Wallet | undefined {
  // Decoding takes quadratic time, so check the length first. 32 bytes have at most 44 digits.
  if (typeof value !== 'string' || value.length > 44) return undefined;
  return bs58.decodeUnsafe(value)?.length === 32 ? (value as Wallet) : undefined;
}
