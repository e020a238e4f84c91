// The group `users`: shows and changes the wallets of accounts, and erases the data of users.

import type { Command } from 'commander';
import type { UserRecord } from 'firebase-admin/auth';
import { requireWallet } from '../frame/input.ts';
import { note } from '../frame/output.ts';
import { findAccount } from '../frame/reach.ts';
import { openTarget, openToChange, type Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { formatAmount } from '../terminal/table.ts';
import { isLive, writeTokenRevocations } from '../tokens/records.ts';
import { claimOf, countAttestations, hasWallet, writeWallet } from './accounts.ts';
import { applyForget, type ForgetFlags, printUserData, readUserData } from './forget.ts';
import { type Allowed, applyLink, planLink } from './linking.ts';
import { show } from './show.ts';
import { printOldTokens, readTokensOf, warnOfIdTokens } from './tokens.ts';

interface LinkFlags extends Allowed {
  readonly revokeTokens?: boolean;
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
    .argument('<wallet>', "the wallet's address")
    .option('--shared', 'allow a wallet that another account already has')
    .option('--unverified', 'allow an address that is not verified')
    .option('--revoke-tokens', 'also revoke the verification tokens of the old wallet')
    .action(async (email: string, address: string, flags: LinkFlags, command: Command) => {
      const wallet = requireWallet(address);
      await using target = await openToChange(command);
      const plan = await planLink(target, await requireAccount(target, email), wallet, flags);
      const { account, isLinked, sharedWith } = plan;
      for (const other of sharedWith) note(`${other.email ?? other.uid} also has this wallet.`);
      const count = await countAttestations(target.db, wallet);
      const attestations = formatAmount(count, 'attestation');
      if (isLinked) note(`${email} already has this wallet, which has ${attestations}.`);
      // A mistyped address may be an address too, but one without attestations.
      else if (count === 0) note(`No attestation has the wallet ${wallet}. Check each character.`);
      const place = hasWallet(account) ? ` in place of ${claimOf(account)}` : '';
      await target.change(
        `Give ${email} the wallet ${wallet}, with ${attestations},${place}`,
        () => applyLink(target, plan, flags.revokeTokens === true),
        { asks: !isLinked },
      );
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
      if (!flags.apply) {
        await using target = await openTarget(command);
        await printUserData(await readUserData(target, await requireAccount(target, email)), flags);
        note('Nothing was changed. Add --apply to delete.');
        return;
      }
      await using target = await openToChange(command);
      const data = await readUserData(target, await requireAccount(target, email));
      await printUserData(data, flags);
      await applyForget(target, data, flags);
    });
}

async function requireAccount(target: Target, email: string): Promise<UserRecord> {
  const account = await findAccount(target.accounts(), email);
  if (account) return account;
  throw new Failure(`No account has the address ${email}. Check it, or ask the person to sign up.`);
}
