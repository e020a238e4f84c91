// Links an account to a wallet, unless this could show a person the results of somebody else.

import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { note } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { isLive, writeTokenRevocations } from '../tokens/records.ts';
import {
  CLAIMS_MAX_BYTES,
  claimOf,
  claimsWith,
  hasWallet,
  othersWith,
  searchHolders,
  writeWallet,
} from './accounts.ts';
import { printOldTokens, readUserTokens, warnOfIdTokens } from './tokens.ts';

export interface Allowed {
  /** Allows a wallet that another account has. */
  readonly shared?: boolean;
  /** Allows an address that is not verified. */
  readonly unverified?: boolean;
}

export interface Plan {
  readonly account: UserRecord;
  readonly wallet: Wallet;
  readonly isLinked: boolean;
  readonly sharedWith: readonly UserRecord[];
  /** Whether another account has the current wallet of this account. */
  readonly isOldShared: boolean;
}

/** @throws Failure that says why the account may not get the wallet */
export async function planLink(
  target: Target,
  account: UserRecord,
  wallet: Wallet,
  allowed: Allowed,
): Promise<Plan> {
  const reason = refusalOfAccount(account, allowed) ?? refusalOfSize(account, wallet);
  if (reason !== undefined) throw refused(account, reason);
  const old = claimOf(account);
  const holders = await searchHolders(target, [wallet, old]);
  const sharedWith = othersWith(wallet, account, holders);
  if (sharedWith.length > 0 && !allowed.shared) {
    const names = sharedWith.map(({ email, uid }) => email ?? uid).join(', ');
    const advice = 'unlink it there first, or add --shared if one person has both accounts';
    throw refused(account, `${names} already has the wallet; ${advice}`);
  }
  const isOldShared = othersWith(old, account, holders).length > 0;
  return { account, wallet, isLinked: old === wallet, sharedWith, isOldShared };
}

const refused = ({ email, uid }: UserRecord, reason: string): Failure =>
  new Failure(`${email ?? uid}: ${reason}.`);

function refusalOfAccount(account: UserRecord, { unverified }: Allowed): string | undefined {
  if (account.disabled) return 'the account is disabled; enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not check whether it is verified.
  if (account.emailVerified || unverified) return undefined;
  return 'this address is not verified; ask the person to verify it, or add --unverified if you know that it is theirs';
}

function refusalOfSize(account: UserRecord, wallet: Wallet): string | undefined {
  const size = Buffer.byteLength(JSON.stringify(claimsWith(account, wallet)));
  if (size <= CLAIMS_MAX_BYTES) return undefined;
  return `all claims of the account would be ${size} bytes, but Authentication accepts ${CLAIMS_MAX_BYTES}; shorten the other claims`;
}

/**
 * @param revokesTokens whether to revoke the tokens of old wallets. An account that is already linked may
 *   have such tokens too.
 */
export async function applyLink(
  target: ChangeTarget,
  { account, wallet, isLinked, isOldShared }: Plan,
  revokesTokens: boolean,
): Promise<void> {
  const tokens = await readUserTokens(target.db, account, isOldShared, target.openedAtMs);
  const old = tokens.filter((token) => isLive(token) && token.wallet !== wallet);
  // Revoked first, because a run after an interruption finds these tokens only while the account
  // still has the old wallet.
  if (revokesTokens) await writeTokenRevocations(target.db, old);
  if (!isLinked) {
    await writeWallet(target.accounts(), account, wallet);
    note(`${account.email ?? account.uid} now has the wallet ${wallet}.`);
  }
  await printOldTokens(old, revokesTokens);
  if (!isLinked && hasWallet(account)) {
    warnOfIdTokens('run this again with --revoke-tokens to revoke those');
  }
}
