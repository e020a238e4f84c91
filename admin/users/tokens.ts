// The verification tokens of a user, by whichever way they belong to them, and what a wallet leaves behind.

import type { UserRecord } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { note, printTable } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { type ListedToken, readTokens, writeTokenRevocations } from '../tokens/records.ts';
import { claimOf, walletOf } from './accounts.ts';
import { searchHolders } from './holders.ts';
import { othersWith } from './links.ts';

/** One that is valid, or could be later: its time may be of the future. */
export const isLive = ({ state }: ListedToken): boolean =>
  state === 'valid' || state === 'unusable';

/**
 * Reads the tokens that the user has made, and the others of their wallet, as an admin issues them. Those
 * may be anybody's where another account has the wallet too, and so are left out.
 *
 * @param account as it was when it had the wallet
 * @param isShared whether another account has the wallet
 */
export async function readUserTokens(
  db: Firestore,
  account: UserRecord,
  isShared: boolean,
  nowMs: number,
): Promise<ListedToken[]> {
  const wallet = isShared ? undefined : walletOf(account);
  const [made, ofWallet] = await Promise.all([
    readTokens(db, { uid: account.uid }, nowMs),
    wallet === undefined ? [] : readTokens(db, { wallet }, nowMs),
  ]);
  return [...made, ...ofWallet.filter(({ uid }) => uid !== account.uid)];
}

/** Reads the tokens of a user who is about to lose the wallet. */
export async function readTokensOf(target: Target, account: UserRecord): Promise<ListedToken[]> {
  const old = claimOf(account);
  const holders = await searchHolders(target, [old]);
  const isShared = othersWith(old, account, holders).length > 0;
  return await readUserTokens(target.db, account, isShared, target.openedAtMs);
}

export const revoke = (target: ChangeTarget, tokens: readonly ListedToken[]): Promise<void> =>
  writeTokenRevocations(
    target.db,
    tokens.map(({ token }) => token),
  );

/** Names the tokens that resolve to a wallet which their user does not have any more. */
export async function printOldTokens(
  tokens: readonly ListedToken[],
  areRevoked: boolean,
): Promise<void> {
  if (tokens.length === 0) return;
  await printTable(
    ['TOKEN', 'STATE', 'MADE BY'],
    tokens.map(({ token, state, uid }) => [token, areRevoked ? 'revoked' : state, uid]),
  );
  note(
    areRevoked
      ? `Tokens of the old wallet that are revoked now: ${tokens.length}.`
      : `Tokens of the old wallet that can still be looked up: ${tokens.length}. Add --revoke-tokens, or wait a day.`,
  );
}

/** Says what an ID token's lifetime means for users who have lost a wallet. */
export const noteHour = (advice: string): void =>
  note(
    'ID tokens that were issued before keep the old wallet for up to an hour. Until then their users ' +
      `can make verification tokens for it. After an hour, ${advice}.`,
  );
