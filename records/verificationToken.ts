// Verification tokens (specification, 2.4): their form, their 24 hours, their states and records.

import * as z from 'zod';
import { storedTime } from './storedTime.ts';
import { parseWallet, type Wallet } from './wallet.ts';

/** A UUID in lower case: the id of a token's record. */
export type TokenId = string & { readonly __brand: 'TokenId' };

/** A token as it is supplied: a UUID of any version, in either case. */
export const tokenSchema = z.guid();

export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** How far in the future a token's creation may lie: clocks of different machines differ. */
export const CLOCK_SKEW_MS = 5 * 60 * 1000;

const tokenRecordSchema = z.object({
  wallet: z.string(),
  createdAt: storedTime,
  revoked: z.unknown().optional(),
});

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

/** @returns the token in lower case, or undefined when it is not a UUID */
export function parseTokenId(value: string): TokenId | undefined {
  return tokenSchema.safeParse(value).success ? (value.toLowerCase() as TokenId) : undefined;
}

/** A token that was created at this instant or before has expired at `nowMs`; all in milliseconds. */
export const expiryCutoff = (nowMs: number): number => nowMs - TOKEN_LIFETIME_MS;

/**
 * The state of a stored token; only a valid one has a wallet.
 *
 * @param nowMs milliseconds since the epoch
 */
export function tokenStateAt(
  stored: unknown,
  nowMs: number,
): { state: TokenState; wallet?: Wallet } {
  const record = tokenRecordSchema.safeParse(stored);
  if (!record.success) return { state: 'unusable' };
  const { createdAt, revoked } = record.data;
  // Missing means not revoked; any value but false is taken as revoked.
  if (revoked !== undefined && revoked !== false) return { state: 'revoked' };
  if (createdAt <= expiryCutoff(nowMs)) return { state: 'expired' };
  // Written so that a time that is no number does not pass.
  if (!(createdAt <= nowMs + CLOCK_SKEW_MS)) return { state: 'unusable' };
  const wallet = parseWallet(record.data.wallet);
  return wallet === undefined ? { state: 'unusable' } : { state: 'valid', wallet };
}
