// Reads and writes the wallet of an account, which is the custom claim `wallet` in Firebase Authentication. Must not
// print, prompt or know the command line.

import { isDeepStrictEqual } from 'node:util';
import type { Auth, UserRecord } from 'firebase-admin/auth';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { ReadableAccounts } from '../frame/reads.ts';
import { nameOf } from '../frame/userAccounts.ts';
import { Failure } from '../terminal/failure.ts';

/** The stored claim, which may not be a valid wallet; undefined if there is none. */
export const claimOf = ({ customClaims }: UserRecord): unknown => customClaims?.['wallet'];

/** The stored claim as text; null if there is none. One that is not text is shown as JSON. */
export function shownClaim(account: UserRecord): string | null {
  const claim = claimOf(account);
  if (claim === undefined) return null;
  return typeof claim === 'string' ? claim : JSON.stringify(claim);
}

export const hasWallet = (account: UserRecord): boolean => claimOf(account) !== undefined;

/** An account in the form that `firebase auth:import` reads. Without its password, which its owner resets. */
export const importable = (account: UserRecord) => ({
  localId: account.uid,
  ...(account.email !== undefined && { email: account.email }),
  emailVerified: account.emailVerified,
  disabled: account.disabled,
  customAttributes: JSON.stringify(account.customClaims),
});

/**
 * Why lookups by the account's address return 404; undefined if they find its wallet.
 *
 * @param ofAddress how many accounts have the address
 */
export function notFoundReason(account: UserRecord, ofAddress: number): string | undefined {
  if (ofAddress === 0) return 'the account has no e-mail address';
  if (ofAddress > 1) return 'another account has the same address';
  if (account.disabled) return 'the account is disabled';
  if (!hasWallet(account)) return 'the account has no wallet';
  if (parseWallet(claimOf(account)) === undefined)
    return 'the claim `wallet` is not a valid wallet';
  return undefined;
}

/** Sets or removes the wallet in the claims, and keeps the claims of other programs. */
export function claimsWith(account: UserRecord, wallet: Wallet | undefined): object {
  const { wallet: _, ...others } = account.customClaims ?? {};
  return wallet === undefined ? others : { ...others, wallet };
}

/**
 * Sets or removes the wallet. Authentication replaces all claims together and has no conditional write,
 * so the account is read just before and after. A write by somebody else between the two reads is either
 * overwritten or detected.
 *
 * @param account the account when the change was decided
 * @throws Failure when somebody else has changed the claims in the meantime
 */
export async function writeWallet(
  auth: Auth,
  account: UserRecord,
  wallet: Wallet | undefined,
): Promise<void> {
  const { uid } = account;
  const before = await auth.getUser(uid);
  if (!isDeepStrictEqual(claimOf(before), claimOf(account))) throw changedMeanwhile(account);
  const claims = claimsWith(before, wallet);
  await auth.setCustomUserClaims(uid, Object.keys(claims).length > 0 ? claims : null);
  const { customClaims = {} } = await auth.getUser(uid);
  if (!isDeepStrictEqual({ ...customClaims }, claims)) throw changedMeanwhile(account);
}

const changedMeanwhile = (account: UserRecord): Failure =>
  new Failure(
    `Somebody else changed the claims of ${nameOf(account)} at the same time. Look at them with ` +
      '`users show`, then run this again.',
  );

/** Authentication's maximum for one request. */
const ACCOUNTS_PER_PAGE = 1_000;

/** Reads the accounts that match, page by page. */
export async function* readMatching(
  auth: ReadableAccounts,
  matches: (account: UserRecord) => boolean,
): AsyncGenerator<readonly UserRecord[]> {
  let next: string | undefined;
  do {
    const { users, pageToken } = await auth.listUsers(ACCOUNTS_PER_PAGE, next);
    yield users.filter(matches);
    next = pageToken;
  } while (next !== undefined);
}
