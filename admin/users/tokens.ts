// Finds a user's verification tokens, and reports tokens that still resolve to an old wallet.

import type { UserRecord } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { note, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { type ListedToken, readTokens } from '../tokens/records.ts';
import { claimOf, findOthers, walletOf } from './accounts.ts';

/**
 * Reads the tokens that the user has created, and other tokens for their wallet, such as those issued by
 * an admin. If the wallet is shared, the others may belong to another user, so they are omitted.
 *
 * @param account the account while it still has the wallet
 * @param isShared whether another account also has the wallet
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
  const others = await findOthers(target, account, [claimOf(account)]);
  return await readUserTokens(target.db, account, others.length > 0, target.openedAtMs);
}

/** Prints the tokens that resolve to a wallet which their user no longer has. */
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
      ? `Revoked tokens of the old wallet: ${tokens.length}.`
      : `Tokens of the old wallet that lookups still resolve: ${tokens.length}. Add --revoke-tokens, or wait a day.`,
  );
}

/** Warns that users can create tokens for a removed wallet until their ID token expires. */
export const warnOfIdTokens = (advice: string): void =>
  note(
    'ID tokens that were issued earlier keep the old wallet for up to an hour. Until then their users ' +
      `can create verification tokens for it. After an hour, ${advice}.`,
  );
