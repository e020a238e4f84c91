// The group `users`: which wallet the account of an e-mail address has, and what is stored of its user.

import type { Command } from 'commander';
import type { UserRecord } from 'firebase-admin/auth';
import { Failure } from '../../terminal/failure.ts';
import { findAccount } from '../frame/accounts.ts';
import { note } from '../frame/output.ts';
import { requireWallet } from '../frame/requireWallet.ts';
import { openTarget, openToChange, type Target } from '../frame/target.ts';
import { claimOf, hasWallet, writeWallet } from './accounts.ts';
import { applyForget, type ForgetFlags, printTraces, readTraces } from './forget.ts';
import { readLinkFile } from './linkFile.ts';
import { applyLinks, planLinks, plannedOf, printPlan } from './linking.ts';
import type { Allowed } from './links.ts';
import { show } from './show.ts';
import { isLive, noteHour, printOldTokens, readTokensOf, revoke } from './tokens.ts';

interface LinkFlags extends Allowed {
  readonly revokeTokens?: boolean;
  readonly dryRun?: boolean;
}

const EMAIL = ['<email>', "the account's e-mail address"] as const;

export function addUsersGroup(program: Command): void {
  const users = program
    .command('users')
    .description('give the accounts of users their wallets, look at them, and forget them');

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

  withLinkOptions(
    users
      .command('link-wallet')
      .description('give an account a wallet, in place of the one that it may have')
      .argument(...EMAIL)
      .argument('<wallet>', "the wallet's address"),
  ).action(async (email: string, address: string, flags: LinkFlags, command: Command) => {
    const link = { email: email.toLowerCase(), wallet: requireWallet(address) };
    await using target = await openToChange(command);
    await requireAccount(target, email);
    const [decision] = await planLinks(target, [link], flags);
    if (!decision || 'refused' in decision) throw new Failure(`${email}: ${decision?.refused}.`);
    const { account, isLinked, sharedWith } = decision;
    for (const other of sharedWith) note(`${other.email ?? other.uid} has this wallet too.`);
    if (isLinked) note(`${email} has this wallet already.`);
    else await target.confirm(`Give ${email} the wallet ${link.wallet}${inPlaceOf(account)}`);
    await applyLinks(target, [decision], flags.revokeTokens === true);
  });

  withLinkOptions(
    users
      .command('link-wallets')
      .description('do the same for each line of a CSV file; run it again to go on')
      .argument('<file>', 'lines of email,wallet under that heading'),
  )
    .option('--dry-run', 'print what would be done, and change nothing')
    .action(async (file: string, flags: LinkFlags, command: Command) => {
      const links = readLinkFile(file);
      if (flags.dryRun) {
        await using target = await openTarget(command);
        await printPlan(await planLinks(target, links, flags));
        note('Nothing was changed.');
        return;
      }
      await using target = await openToChange(command);
      const decisions = await planLinks(target, links, flags);
      await printPlan(decisions);
      const planned = plannedOf(decisions);
      const count = planned.filter(({ isLinked }) => !isLinked).length;
      if (count > 0) await target.confirm(`Give ${count} accounts their wallets`);
      await applyLinks(target, planned, flags.revokeTokens === true);
    });

  users
    .command('unlink-wallet')
    .description('take the wallet of an account away: lookups by its address find none')
    .argument(...EMAIL)
    .option('--revoke-tokens', "revoke the user's verification tokens too")
    .action(async (email: string, flags: LinkFlags, command: Command) => {
      await using target = await openToChange(command);
      const account = await requireAccount(target, email);
      if (hasWallet(account)) await target.confirm(`Take the wallet of ${email} away`);
      const live = (await readTokensOf(target, account)).filter(isLive);
      if (flags.revokeTokens) await revoke(target, live);
      if (hasWallet(account)) await writeWallet(target.accounts(), account, undefined);
      note(hasWallet(account) ? `${email} has no wallet now.` : `${email} had no wallet.`);
      await printOldTokens(live, flags.revokeTokens === true);
      if (hasWallet(account)) noteHour('run this again with --revoke-tokens, which revokes those');
    });

  users
    .command('forget')
    .description(
      'list what is stored of a user and what becomes of it; with --apply, delete what is ours',
    )
    .argument(...EMAIL)
    .option('--apply', 'delete the wallet of the account and the verification tokens')
    .option('--delete-account', 'with --apply: delete the account in Authentication too')
    .action(async (email: string, flags: ForgetFlags, command: Command) => {
      if (!flags.apply) {
        await using target = await openTarget(command);
        await printTraces(await readTraces(target, await requireAccount(target, email)), flags);
        note('Nothing was changed: add --apply.');
        return;
      }
      await using target = await openToChange(command);
      const traces = await readTraces(target, await requireAccount(target, email));
      await printTraces(traces, flags);
      await applyForget(target, traces, flags);
    });
}

const withLinkOptions = (command: Command): Command =>
  command
    .option('--shared', 'also if another account has the wallet')
    .option('--unverified', 'also if nobody has confirmed the address')
    .option('--revoke-tokens', 'revoke the verification tokens of the old wallet too');

async function requireAccount(target: Target, email: string): Promise<UserRecord> {
  const account = await findAccount(target.accounts(), email);
  if (account) return account;
  throw new Failure(`No account has the address ${email}: check it, or have the person sign up.`);
}

const inPlaceOf = (account: UserRecord): string =>
  hasWallet(account) ? ` in place of ${claimOf(account)}` : '';
