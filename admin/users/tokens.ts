// The verification tokens of a user, by whichever way they belong to them. Must not print or prompt.

import type { Auth, UserRecord } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { type ListedToken, readTokens } from '../tokens/records.ts';
import { readAccounts, walletOf } from './accounts.ts';

/** One that is valid, or could be later: its time may be of the future. */
export const isLive = ({ state }: ListedToken): boolean =>
  state === 'valid' || state === 'unusable';

/**
 * Reads the tokens that the user has made, and those of their wallet that an admin has issued, or that
 * somebody made who does not have the wallet any more. Another holder of the wallet keeps their own.
 *
 * @param account as it was when it had the wallet
 */
export async function readUserTokens(
  auth: Auth,
  db: Firestore,
  account: UserRecord,
  nowMs: number,
): Promise<ListedToken[]> {
  const wallet = walletOf(account);
  const [made, ofWallet] = await Promise.all([
    readTokens(db, { uid: account.uid }, nowMs),
    wallet === undefined ? [] : readTokens(db, { wallet }, nowMs),
  ]);
  const others = ofWallet.filter(({ uid }) => uid !== account.uid);
  const uids = new Set(others.flatMap(({ uid }) => (uid !== undefined && isUid(uid) ? uid : [])));
  const holders = await readAccounts(
    auth,
    [...uids].map((uid) => ({ uid })),
  );
  const own = new Set(holders.filter((one) => walletOf(one) === wallet).map(({ uid }) => uid));
  return [...made, ...others.filter(({ uid }) => uid === undefined || !own.has(uid))];
}

/** What Authentication takes for a uid. */
const isUid = (text: string): boolean => text.length >= 1 && text.length <= 128;
