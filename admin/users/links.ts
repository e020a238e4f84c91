// Decides which accounts get which wallets. Pure.

import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { CLAIMS_MAX_BYTES, claimOf, claimsWith, sizeOfClaims, walletOf } from './accounts.ts';

/** A wallet that an account is to have. */
export interface Link {
  readonly email: string;
  readonly wallet: Wallet;
  /** Of the file that it comes from. */
  readonly line?: number;
}

export interface Allowed {
  /** A wallet that another account has. */
  readonly shared?: boolean;
  /** An address that nobody has confirmed. */
  readonly unverified?: boolean;
}

/** What is to be done about a link, or why it is refused. */
export type Decision = { readonly link: Link } & (
  | { readonly refused: string }
  | {
      readonly account: UserRecord;
      readonly isLinked: boolean;
      readonly sharedWith: readonly UserRecord[];
      /** Whether another account has the wallet that this one has now. */
      readonly isOldShared: boolean;
    }
);

/** The accounts that have each wallet. */
export type Holders = ReadonlyMap<unknown, readonly UserRecord[]>;

/**
 * @param account of the link's address
 * @param holders of the wallet, and of the one that the account has
 * @param wanted how many links of the same file name this wallet
 */
export function decide(
  link: Link,
  account: UserRecord | undefined,
  holders: Holders,
  allowed: Allowed,
  wanted = 1,
): Decision {
  if (!account) return { link, refused: 'no account has this address: the person signs up first' };
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
  if (account.disabled) return 'the account is disabled: enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not ask whether it was confirmed.
  if (account.emailVerified || unverified) return undefined;
  return 'nobody has confirmed that the address is theirs: have them verify it, or add --unverified if you know';
}

function refusalOfSharing(
  others: readonly UserRecord[],
  { shared }: Allowed,
  wanted: number,
): string | undefined {
  if (shared) return undefined;
  const names = others.map(({ email, uid }) => email ?? uid).join(', ');
  const advice = 'move them first, or add --shared if one person has both';
  if (names) return `the wallet is already that of ${names}: ${advice}`;
  return wanted > 1
    ? 'the file names the wallet more than once: add --shared if one person has all'
    : undefined;
}

function refusalOfSize(account: UserRecord, wallet: Wallet): string | undefined {
  const size = sizeOfClaims(claimsWith(account, wallet));
  if (size <= CLAIMS_MAX_BYTES) return undefined;
  return `all claims of the account would be ${size} bytes, and Authentication takes ${CLAIMS_MAX_BYTES}: shorten the others`;
}

/** Why lookups by the account's address return 404; undefined when they find its wallet. */
export function unfoundReason(account: UserRecord): string | undefined {
  if (account.disabled) return 'the account is disabled';
  if (claimOf(account) === undefined) return 'the account has no wallet';
  return walletOf(account) === undefined ? 'the claim `wallet` is not a wallet' : undefined;
}
