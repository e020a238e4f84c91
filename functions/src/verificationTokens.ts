// Owns verification tokens (specification, 2.4): their form, their 24 hours and the wallet they hold.

import type { CollectionReference, Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import type { FirestoreReader } from './firestore.ts';
import { storedTime, type WrittenTime } from './storedTime.ts';
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
  createdAt: storedTime,
  revoked: z.unknown().optional(),
});

/** The states of a token (specification, section 3), and of a record that never was one. */
export type TokenState = 'valid' | 'revoked' | 'expired' | 'unusable';

const COLLECTION = 'verificationTokens';

/** The records of all tokens; the id of each is the token. */
export const tokenRecords = (db: Firestore): CollectionReference => db.collection(COLLECTION);

/** @param uid who made it */
export const newTokenRecord = (wallet: string, uid: string, createdAt: WrittenTime) => ({
  wallet,
  uid,
  createdAt,
  revoked: false,
});

/** What revoking a token changes in its record. */
export const TOKEN_REVOCATION = { revoked: true } as const;

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
  createdAtMs <= nowMs + CLOCK_SKEW_MS && createdAtMs > lastExpired(nowMs);

/** The last instant of creation, in milliseconds, whose tokens have expired at `nowMs`. */
export const lastExpired = (nowMs: number): number => nowMs - TOKEN_LIFETIME_MS;

/** Judges a stored token at `nowMs`; only a valid one has a wallet. */
export function judgeToken(
  stored: unknown,
  nowMs: number,
): { state: TokenState; wallet?: Wallet | undefined } {
  const record = tokenRecord.safeParse(stored);
  if (!record.success) return { state: 'unusable' };
  const { createdAt, revoked } = record.data;
  // Missing means not revoked; any value but false is taken as revoked.
  if (revoked !== undefined && revoked !== false) return { state: 'revoked' };
  if (createdAt <= lastExpired(nowMs)) return { state: 'expired' };
  const wallet = isTokenAlive(createdAt, nowMs) ? parseWallet(record.data.wallet) : undefined;
  return wallet === undefined ? { state: 'unusable' } : { state: 'valid', wallet };
}

/** @returns the wallet that the stored token stands for at `nowMs`, or undefined */
export const tokenWallet = (stored: unknown, nowMs: number): Wallet | undefined =>
  judgeToken(stored, nowMs).wallet;

/** Reads the wallet behind a token: one document read, whether or not the token is valid. */
export async function readTokenWallet(
  firestore: FirestoreReader,
  id: TokenId,
  nowMs: number,
): Promise<Wallet | undefined> {
  return tokenWallet(await firestore.readDocument(`${COLLECTION}/${id}`), nowMs);
}
