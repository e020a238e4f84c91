// Decides for each account whether it may get a wallet. Pure.

import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { CLAIMS_MAX_BYTES, claimOf, claimsWith, sizeOfClaims, walletOf } from './accounts.ts';

/** An account's address and the wallet that it should get. */
export interface Link {
  readonly email: string;
  readonly wallet: Wallet;
  /** The line in the file. */
  readonly line?: number;
}

export interface Allowed {
  /** Allows a wallet that another account has. */
  readonly shared?: boolean;
  /** Allows an address that is not verified. */
  readonly unverified?: boolean;
}

/** The plan for a link, or why it is refused. */
export type Decision = { readonly link: Link } & (
  | { readonly refused: string }
  | {
      readonly account: UserRecord;
      readonly isLinked: boolean;
      readonly sharedWith: readonly UserRecord[];
      /** Whether another account has the current wallet of this account. */
      readonly isOldShared: boolean;
    }
);

/** The accounts that have each wallet. */
export type Holders = ReadonlyMap<unknown, readonly UserRecord[]>;

/**
 * @param account the account with the link's address
 * @param holders the accounts with the new wallet or the account's current one
 * @param wanted the number of links in the same file with this wallet
 */
export function decide(
  link: Link,
  account: UserRecord | undefined,
  holders: Holders,
  allowed: Allowed,
  wanted = 1,
): Decision {
  if (!account)
    return { link, refused: 'no account has this address; the person must sign up first' };
  const sharedWith = othersWith(link.wallet, account, holders);
  const refused =
    refusalOfAccount(account, allowed) ??
    refusalOfSharing(sharedWith, allowed, wanted) ??
    refusalOfSize(account, link.wallet);
  if (refused !== undefined) return { link, refused };
  const old = claimOf(account);
  const isOldShared = othersWith(old, account, holders).length > 0;
  return { link, account, isLinked: old === link.wallet, sharedWith, isOldShared };
}

/** @returns the other accounts that have the wallet */
export const othersWith = (wallet: unknown, account: UserRecord, holders: Holders): UserRecord[] =>
  (holders.get(wallet) ?? []).filter(({ uid }) => uid !== account.uid);

function refusalOfAccount(account: UserRecord, { unverified }: Allowed): string | undefined {
  if (account.disabled) return 'the account is disabled; enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not check whether it is verified.
  if (account.emailVerified || unverified) return undefined;
  return 'this address is not verified; ask the person to verify it, or add --unverified if you know that it is theirs';
}

function refusalOfSharing(
  others: readonly UserRecord[],
  { shared }: Allowed,
  wanted: number,
): string | undefined {
  if (shared) return undefined;
  const names = others.map(({ email, uid }) => email ?? uid).join(', ');
  const advice = 'unlink it there first, or add --shared if one person has both accounts';
  if (names) return `${names} already has the wallet; ${advice}`;
  return wanted > 1
    ? 'the file names the wallet more than once; add --shared if one person has all these accounts'
    : undefined;
}

function refusalOfSize(account: UserRecord, wallet: Wallet): string | undefined {
  const size = sizeOfClaims(claimsWith(account, wallet));
  if (size <= CLAIMS_MAX_BYTES) return undefined;
  return `all claims of the account would be ${size} bytes, but Authentication accepts ${CLAIMS_MAX_BYTES}; shorten the other claims`;
}

/** Why lookups by the account's address return 404; undefined if they find its wallet. */
export function notFoundReason(account: UserRecord): string | undefined {
  if (account.disabled) return 'the account is disabled';
  if (claimOf(account) === undefined) return 'the account has no wallet';
  return walletOf(account) === undefined ? 'the claim `wallet` is not a valid wallet' : undefined;
}
