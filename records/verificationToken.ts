// Verification tokens (specification, 2.4): their form, their 24 hours, their states and records.

import { regexes } from 'zod/v4/core';
import { type Stored, storedText, storedTimeMs } from './storedValues.ts';
import { parseWallet, type Wallet } from './wallet.ts';

/** A UUID in lower case: the id of a token's record. */
export type TokenId = string & { readonly __brand: 'TokenId' };

const LIFETIME_HOURS = 24;
export const TOKEN_LIFETIME_MS = LIFETIME_HOURS * 60 * 60 * 1000;
/** The lifetime as texts state it. */
export const TOKEN_LIFETIME = `${LIFETIME_HOURS} hours`;
/** How far in the future a token's creation may lie: clocks of different machines differ. */
export const CLOCK_SKEW_MS = 5 * 60 * 1000;

/** The states of a token (specification, section 3), and of a record that never was one. */
export type TokenState = 'valid' | 'revoked' | 'expired' | 'unusable';

/**
 * @param uid who made it
 * @param createdAt a date, or the SDK's server timestamp
 */
export const newTokenRecord = <Time>(wallet: string, uid: string, createdAt: Time) => ({
  wallet,
  uid,
  createdAt,
  revoked: false,
});

/** The fields that revoking a token changes in its record. */
export const TOKEN_REVOCATION = { revoked: true } as const;

/** @returns the token in lower case, or undefined when it is not a UUID: of any version, in either case */
export const parseTokenId = (value: string): TokenId | undefined =>
  regexes.guid.test(value) ? (value.toLowerCase() as TokenId) : undefined;

/** A token that was created at this instant or before has expired at `nowMs`; all in milliseconds. */
export const expiryCutoff = (nowMs: number): number => nowMs - TOKEN_LIFETIME_MS;

/**
 * The state of a stored token; only a valid one has a wallet.
 *
 * @param nowMs milliseconds since the epoch
 */
export function tokenStateAt(
  stored: Stored | undefined,
  nowMs: number,
): { state: TokenState; wallet?: Wallet } {
  const address = storedText(stored?.['wallet']);
  const createdAt = storedTimeMs(stored?.['createdAt']);
  const revoked = stored?.['revoked'];
  if (address === undefined || createdAt === undefined) return { state: 'unusable' };
  // Missing means not revoked; any value but false is taken as revoked.
  if (revoked !== undefined && revoked !== false) return { state: 'revoked' };
  if (createdAt <= expiryCutoff(nowMs)) return { state: 'expired' };
  // Written so that a time that is no number does not pass.
  if (!(createdAt <= nowMs + CLOCK_SKEW_MS)) return { state: 'unusable' };
  const wallet = parseWallet(address);
  return wallet === undefined ? { state: 'unusable' } : { state: 'valid', wallet };
}
