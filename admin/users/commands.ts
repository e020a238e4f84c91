// The group `users`: shows and changes the wallets of accounts, and erases the data of users.

import type { Command } from 'commander';
import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { parseAddress } from '../frame/input.ts';
import { note } from '../frame/output.ts';
import { findAccount } from '../frame/reach.ts';
import { openTarget, openToChange, type Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { isLive, writeTokenRevocations } from '../tokens/records.ts';
import { hasWallet, writeWallet } from './accounts.ts';
import { forget } from './forget.ts';
import { type LinkFlags, linkWallet } from './linking.ts';
import { show } from './show.ts';
import { printOldTokens, readTokensOf, warnOfIdTokens } from './tokens.ts';

interface ForgetFlags {
  readonly apply?: boolean;
  readonly deleteAccount?: boolean;
}

const EMAIL = ['<email>', "the account's e-mail address"] as const;

export function addUsersGroup(program: Command): void {
  const users = program
    .command('users')
    .description('show users, link their accounts to wallets, and erase their data');

  users
    .command('show')
    .description(
      'show the account of an e-mail address, its wallet, and why lookups may not find it',
    )
    .argument(...EMAIL)
    .option('--json', 'print JSON')
    .action(async (email: string, { json }: { json?: boolean }, command: Command) => {
      await using target = await openTarget(command);
      await show(target, await requireAccount(target, email), json === true);
    });

  users
    .command('link-wallet')
    .description('link an account to a wallet, and replace its current wallet, if any')
    .argument(...EMAIL)
    .argument('<wallet>', "the wallet's address", parseAddress)
    .option('--shared', 'allow a wallet that another account already has')
    .option('--unverified', 'allow an address that is not verified')
    .option('--revoke-tokens', 'also revoke the verification tokens of the old wallet')
    .action(async (email: string, wallet: Wallet, flags: LinkFlags, command: Command) => {
      await using target = await openToChange(command);
      await linkWallet(target, await requireAccount(target, email), wallet, flags);
    });

  users
    .command('unlink-wallet')
    .description('remove the wallet of an account, so that lookups by its address get 404')
    .argument(...EMAIL)
    .option('--revoke-tokens', "also revoke the user's verification tokens")
    .action(async (email: string, flags: LinkFlags, command: Command) => {
      await using target = await openToChange(command);
      const account = await requireAccount(target, email);
      const live = (await readTokensOf(target, account)).filter(isLive);
      const remove = async (): Promise<void> => {
        if (flags.revokeTokens) await writeTokenRevocations(target.db, live);
        if (hasWallet(account)) await writeWallet(target.accounts(), account, undefined);
      };
      const asks = hasWallet(account);
      await target.change(`Remove the wallet of ${email}`, remove, { asks });
      note(hasWallet(account) ? `${email} no longer has a wallet.` : `${email} had no wallet.`);
      await printOldTokens(live, flags.revokeTokens === true);
      if (hasWallet(account)) warnOfIdTokens('run this again with --revoke-tokens to revoke those');
    });

  users
    .command('forget')
    .description('list the stored data of a user; with --apply, delete the wallet and the tokens')
    .argument(...EMAIL)
    .option('--apply', "delete the account's wallet and the verification tokens")
    .option('--delete-account', 'with --apply, also delete the account in Authentication')
    .action(async (email: string, flags: ForgetFlags, command: Command) => {
      await using target = await (flags.apply ? openToChange(command) : openTarget(command));
      await forget(target, await requireAccount(target, email), flags.deleteAccount === true);
    });
}

async function requireAccount(target: Target, email: string): Promise<UserRecord> {
  const account = await findAccount(target.accounts(), email);
  if (account) return account;
  throw new Failure(`No account has the address ${email}. Check it, or ask the person to sign up.`);
}
