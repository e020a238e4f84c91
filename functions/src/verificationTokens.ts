// Owns verification tokens (specification, 2.4): their form, their 24 hours and the wallet they hold.

import type { Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import { parseWallet, type Wallet } from './wallet.ts';

/** A UUID in lower case: the id of a token's record. */
export type TokenId = string & { readonly __brand: 'TokenId' };

/** A token as it is supplied: a UUID of any version, in either case. */
export const tokenSchema = z.guid();

export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** How far in the future a token's creation may lie: clocks of different machines differ. */
export const CLOCK_SKEW_MS = 5 * 60 * 1000;

const tokenRecord = z.object({
  wallet: z.string(),
  createdAt: z.custom<{ toMillis(): number }>(
    (value) => typeof (value as { toMillis?: unknown } | null)?.toMillis === 'function',
  ),
  // Missing means not revoked; any value but false is taken as revoked.
  revoked: z.literal(false).optional(),
});

/** @returns the token in lower case, or undefined when it is not a UUID */
export function parseTokenId(value: string): TokenId | undefined {
  return tokenSchema.safeParse(value).success ? (value.toLowerCase() as TokenId) : undefined;
}

/**
 * Whether a token of this age is alive.
 *
 * @param createdAtMs milliseconds since the epoch
 * @param nowMs milliseconds since the epoch
 */
export const isTokenAlive = (createdAtMs: number, nowMs: number): boolean =>
  createdAtMs <= nowMs + CLOCK_SKEW_MS && nowMs < createdAtMs + TOKEN_LIFETIME_MS;

/** @returns the wallet that the stored token stands for at `nowMs`, or undefined */
export function tokenWallet(stored: unknown, nowMs: number): Wallet | undefined {
  const record = tokenRecord.safeParse(stored);
  if (!record.success || !isTokenAlive(record.data.createdAt.toMillis(), nowMs)) return undefined;
  return parseWallet(record.data.wallet);
}

/** Reads the wallet behind a token: one document read, whether or not the token is valid. */
export async function readTokenWallet(
  db: Firestore,
  id: TokenId,
  nowMs: number,
): Promise<Wallet | undefined> {
  const stored = await db.collection('verificationTokens').doc(id).get();
  return tokenWallet(stored.data(), nowMs);
}
