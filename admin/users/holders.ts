// Finds the accounts with a wallet. Authentication cannot search by claim, so this lists all accounts.

import type { UserRecord } from 'firebase-admin/auth';
import { currentRun } from '../frame/run.ts';
import type { Target } from '../frame/target.ts';
import { startProgress } from '../terminal/progress.ts';
import { claimOf } from './accounts.ts';

/** Authentication's maximum for one request. */
const ACCOUNTS_PER_PAGE = 1_000;

/** The accounts that have each wallet. */
export type Holders = ReadonlyMap<unknown, readonly UserRecord[]>;

/** @returns the other accounts that have the wallet */
export const othersWith = (wallet: unknown, account: UserRecord, holders: Holders): UserRecord[] =>
  (holders.get(wallet) ?? []).filter(({ uid }) => uid !== account.uid);

/** Searches all accounts for the given wallets, and ignores undefined ones. */
export async function searchHolders(target: Target, wallets: readonly unknown[]): Promise<Holders> {
  const auth = target.accounts();
  const sought = new Set<unknown>(wallets.filter((wallet) => wallet !== undefined));
  if (sought.size === 0) return new Map();
  const progress = startProgress(undefined, 'accounts searched', currentRun().stderr);
  const found: UserRecord[] = [];
  let listed = 0;
  let next: string | undefined;
  do {
    const { users, pageToken } = await auth.listUsers(ACCOUNTS_PER_PAGE, next);
    found.push(...users.filter((account) => sought.has(claimOf(account))));
    listed += users.length;
    progress.report(listed);
    next = pageToken;
  } while (next !== undefined);
  progress.end();
  return Map.groupBy(found, claimOf);
}
