// The group `users`: shows and changes the wallets of accounts. It refuses to link an account if this could show a
// person the results of somebody else.

import type { Command } from 'commander';
import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { findAccount } from '../frame/accounts.ts';
import { parseAddress } from '../frame/input.ts';
import { note, printJson, printTable } from '../frame/output.ts';
import { type ChangeTarget, openTarget, openToChange, type Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { formatAmount } from '../terminal/table.ts';
import { isLive, readTokens, writeTokenRevocations } from '../tokens/records.ts';
import {
  CLAIMS_MAX_BYTES,
  claimOf,
  claimsWith,
  countAttestations,
  findOthers,
  hasWallet,
  nameOf,
  printOldTokens,
  readTokensOf,
  readUserTokens,
  walletOf,
  warnOfIdTokens,
  writeWallet,
} from './accounts.ts';

interface LinkFlags {
  /** Allows a wallet that another account has. */
  readonly shared?: boolean;
  /** Allows an address that is not verified. */
  readonly unverified?: boolean;
  /** Whether to revoke the tokens of old wallets. An account that is already linked may have such tokens too. */
  readonly revokeTokens?: boolean;
}

const EMAIL = ['<email>', "the account's e-mail address"] as const;

export function addUsersGroup(program: Command): void {
  const users = program
    .command('users')
    .description('show users, and link their accounts to wallets');

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
    .option('--unverified', 'allow an e-mail address that is not verified')
    .option('--revoke-tokens', "also revoke the user's verification tokens for other wallets")
    .action(async (email: string, wallet: Wallet, flags: LinkFlags, command: Command) => {
      await using target = await openToChange(command);
      await linkWallet(target, await requireAccount(target, email), wallet, flags);
    });

  users
    .command('unlink-wallet')
    .description('remove the wallet of an account, so that lookups by its e-mail address get 404')
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
      const what = `${hasWallet(account) ? 'Remove the wallet' : 'Revoke the tokens'} of ${email}`;
      await target.change(what, remove, {
        asks: hasWallet(account) || flags.revokeTokens === true,
      });
      note(hasWallet(account) ? `${email} no longer has a wallet.` : `${email} had no wallet.`);
      await printOldTokens(live, flags.revokeTokens === true);
      if (hasWallet(account)) warnOfIdTokens('run this again with --revoke-tokens to revoke those');
    });
}

async function requireAccount(target: Target, email: string): Promise<UserRecord> {
  const account = await findAccount(target.accounts(), email);
  if (account) return account;
  throw new Failure(`No account has the address ${email}. Check it, or ask the person to sign up.`);
}

/** @throws Failure that says why the account may not get the wallet */
async function linkWallet(
  target: ChangeTarget,
  account: UserRecord,
  wallet: Wallet,
  flags: LinkFlags,
): Promise<void> {
  const [name, old] = [nameOf(account), claimOf(account)];
  const others = await findOthers(target, account, [wallet, old]);
  const holders = others.filter((other) => claimOf(other) === wallet);
  const reason = refusal(account, wallet, holders, flags);
  if (reason !== undefined) throw new Failure(`${name}: ${reason}.`);
  for (const holder of holders) note(`${nameOf(holder)} also has this wallet.`);

  const count = await countAttestations(target.db, wallet);
  const attestations = formatAmount(count, 'attestation');
  const isLinked = old === wallet;
  if (isLinked) note(`${name} already has this wallet, which has ${attestations}.`);
  // A mistyped address may be an address too, but one without attestations.
  else if (count === 0) note(`No attestation has the wallet ${wallet}. Check each character.`);
  const place = hasWallet(account) ? ` in place of ${old}` : '';
  const what = isLinked
    ? `Revoke the tokens of other wallets of ${name}`
    : `Give ${name} the wallet ${wallet}, with ${attestations},${place}`;
  const isOldShared = others.some((other) => claimOf(other) === old);
  await target.change(
    what,
    async () => {
      const tokens = await readUserTokens(target.db, account, isOldShared, target.openedAtMs);
      const live = tokens.filter((token) => isLive(token) && token.wallet !== wallet);
      // Revoked first, because a run after an interruption finds these tokens only while the account
      // still has the old wallet.
      if (flags.revokeTokens) await writeTokenRevocations(target.db, live);
      if (!isLinked) {
        await writeWallet(target.accounts(), account, wallet);
        note(`${name} now has the wallet ${wallet}.`);
        // While this command waited, another one may have linked the wallet too.
        const rivals = flags.shared ? [] : await findOthers(target, account, [wallet]);
        if (rivals.length > 0) {
          const names = rivals.map(nameOf).join(', ');
          throw new Failure(
            `${names} got the wallet at the same time as ${name}. Decide whose it is, and unlink it from the others.`,
          );
        }
      }
      await printOldTokens(live, flags.revokeTokens === true);
    },
    { asks: !isLinked || flags.revokeTokens === true },
  );
  if (!isLinked && hasWallet(account)) {
    warnOfIdTokens('run this again with --revoke-tokens to revoke those');
  }
}

function refusal(
  account: UserRecord,
  wallet: Wallet,
  holders: readonly UserRecord[],
  { shared, unverified }: LinkFlags,
): string | undefined {
  if (account.disabled) return 'the account is disabled; enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not check whether it is verified.
  if (!account.emailVerified && !unverified) {
    return 'this address is not verified; ask the person to verify it, or add --unverified if you know that it is theirs';
  }
  const size = Buffer.byteLength(JSON.stringify(claimsWith(account, wallet)));
  if (size > CLAIMS_MAX_BYTES) {
    return `all claims of the account would be ${size} bytes, but Authentication accepts ${CLAIMS_MAX_BYTES}; shorten the other claims`;
  }
  if (holders.length === 0 || shared) return undefined;
  const names = holders.map(nameOf).join(', ');
  return `${names} already has the wallet; unlink it there first, or add --shared if one person has both accounts`;
}

/** Shows an account, its wallet, and why lookups by its address may fail. */
async function show(target: Target, account: UserRecord, asJson: boolean): Promise<void> {
  const { uid, email, emailVerified, disabled, metadata, customClaims = {} } = account;
  const tokens = await readTokens(target.db, { uid: account.uid }, target.openedAtMs);
  const wallet = claimOf(account);
  const shown = {
    email,
    uid,
    wallet: wallet === undefined ? null : String(wallet),
    /** Null if lookups by the address find the wallet. */
    notFoundBecause: notFoundReason(account) ?? null,
    emailVerified,
    disabled,
    createdAt: isoOf(metadata.creationTime),
    lastSignInAt: isoOf(metadata.lastSignInTime),
    liveTokens: tokens.filter(({ state }) => state === 'valid').length,
    // Only the names, since the values belong to other programs.
    otherClaims: Object.keys(customClaims).filter((name) => name !== 'wallet'),
  };
  if (asJson) return await printJson(shown);
  const reason = shown.notFoundBecause;
  await printTable(
    ['FIELD', 'VALUE'],
    [
      ['e-mail', email],
      ['uid', uid],
      ['wallet', shown.wallet],
      ['lookups by e-mail', reason ? `404: ${reason}` : 'find the wallet'],
      ['address verified', emailVerified ? 'yes' : 'no'],
      ['disabled', disabled ? 'yes' : 'no'],
      ['created', shown.createdAt],
      ['last sign-in', shown.lastSignInAt],
      ['valid tokens', String(shown.liveTokens)],
      ['other claims', shown.otherClaims.join(', ') || null],
    ],
  );
}

/** @param time in the format of Authentication; empty or null if there is none */
const isoOf = (time: string | null | undefined): string | null =>
  time ? new Date(time).toISOString() : null;

/** Why lookups by the account's address return 404; undefined if they find its wallet. */
function notFoundReason(account: UserRecord): string | undefined {
  if (account.disabled) return 'the account is disabled';
  if (claimOf(account) === undefined) return 'the account has no wallet';
  return walletOf(account) === undefined ? 'the claim `wallet` is not a valid wallet' : undefined;
}
