// The group `users`: shows and changes the wallets of accounts. It refuses to link an account if this could show a
// person the results of somebody else.

import type { UserRecord } from 'firebase-admin/auth';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { countDocuments } from '../audit/mirror.ts';
import { parseAddress } from '../frame/input.ts';
import { collect, minuteOf, note, printJson, printTable } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import {
  ACCOUNT,
  describeAccount,
  nameOf,
  originOf,
  readAccount,
  readAccounts,
} from '../frame/userAccounts.ts';
import { Failure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, formatCount } from '../terminal/table.ts';
import { listTokens, revokeTokens } from '../tokens/commands.ts';
import type { ListedToken, TokenFilter } from '../tokens/records.ts';
import { forget, readOtherHolders } from './forget.ts';
import {
  claimOf,
  claimsWith,
  hasWallet,
  importable,
  notFoundReason,
  readMatching,
  shownClaim,
  writeWallet,
} from './records.ts';

interface LinkFlags {
  /** Allows a wallet that another account has. */
  readonly shared?: boolean;
  /** Allows an address that is not verified. */
  readonly unverified?: boolean;
  /** Whether to revoke the tokens that the user has created. */
  readonly revokeTokens?: boolean;
}

export function addUsersGroup(program: AdminCommand): void {
  const users = program
    .command('users')
    .description('show users, and link their accounts to wallets');
  addLists(users);
  addChanges(users);
}

function addLists(users: AdminCommand): void {
  users
    .command('show')
    .description('show an account, its wallet, and why lookups may not find it')
    .argument(...ACCOUNT)
    .example('users show user@example.com')
    .onTarget(show);

  users
    .command('unverified')
    .description('list the accounts that have a wallet and an unverified e-mail address')
    .example('users unverified')
    .onTarget(listUnverified);

  users
    .command('export')
    .description(
      'print the accounts that have a wallet, without passwords, for firebase auth:import',
    )
    .example('users export > accounts.json')
    .onTarget(async ({ auth }) => {
      const accounts = await collect(readMatching(auth, hasWallet), 'accounts found');
      await printJson({ users: accounts.map(importable) });
    });
}

function addChanges(users: AdminCommand): void {
  users
    .command('link-wallet')
    .description('link an account to a wallet, and replace its current wallet, if any')
    .argument(...ACCOUNT)
    .argument('<wallet>', "the wallet's address", parseAddress)
    .option('--shared', 'allow a wallet that another account already has')
    .option('--unverified', 'allow an e-mail address that is not verified')
    .option('--revoke-tokens', "also revoke the user's verification tokens")
    .example('users link-wallet user@example.com ADDRESS')
    .onTarget(linkWallet);

  users
    .command('unlink-wallet')
    .description('remove the wallet of an account, so that lookups by its e-mail address get 404')
    .argument(...ACCOUNT)
    .option('--revoke-tokens', "also revoke the user's verification tokens")
    .example('users unlink-wallet user@example.com --revoke-tokens')
    .onTarget(unlinkWallet);

  users
    .command('forget')
    .description(
      'delete the tokens and remove the wallet of a person who asks to be forgotten, after showing them',
    )
    .argument(...ACCOUNT)
    .option('--delete-account', 'also delete the account, which other services may use')
    .example('users forget user@example.com --delete-account')
    .onTarget(forget);
}

async function listUnverified({ auth }: Target): Promise<void> {
  const isUnverified = (account: UserRecord) => hasWallet(account) && !account.emailVerified;
  const accounts = await collect(readMatching(auth, isUnverified), 'accounts found');
  if (accounts.length === 0) return note('Every account with a wallet has a verified address.');
  await printTable(accounts, {
    'LAST SIGN-IN (UTC)': (account) => minuteOf(originOf(account).lastSignInAt),
    UID: ({ uid }) => uid,
    EMAIL: ({ email }) => email,
  });
  note(
    'Where LOOKUP_VERIFIED_EMAIL_ONLY is true, lookups by these addresses get 404. Ask each person to sign in ' +
      'to the identity-proof page and choose "Send the e-mail". If somebody else may have registered the ' +
      'address, ask its owner to choose "Forgot your password?" instead, which verifies it and ends the other access.',
  );
}

async function unlinkWallet(target: Target, named: string, flags: LinkFlags): Promise<void> {
  const account = await readAccount(target.auth, named);
  const name = nameOf(account);
  if (hasWallet(account)) {
    const what = `Remove the wallet of ${describeAccount(account)}`;
    await target.change(what, ({ auth }) => writeWallet(auth, account, undefined));
    note(`${name} no longer has a wallet.`);
  } else note(`${name} had no wallet.`);
  await endTokens(target, account, flags);
}

/**
 * Ends a user's tokens for other wallets than the present one. They are ended after the wallet has been changed, because
 * a user could delay that by creating many tokens. A later run finds those that this one misses.
 *
 * @param account the account before the change
 * @param wallet the present wallet, if any
 */
async function endTokens(
  target: Target,
  account: UserRecord,
  flags: LinkFlags,
  wallet?: Wallet,
): Promise<void> {
  const name = nameOf(account);
  if (flags.revokeTokens) {
    const { revoked } = await target.change(
      wallet ? `Revoke the tokens of ${name} for other wallets` : `Revoke the tokens of ${name}`,
      async ({ db }) => {
        const revoke = (filter: TokenFilter, isMeant: Parameters<typeof revokeTokens>[3]) =>
          revokeTokens(db, filter, target.nowMs(), isMeant);
        const own = await revoke(['uid', account.uid], (token) => token.wallet !== wallet);
        const old = parseWallet(claimOf(account));
        if (old === undefined || old === wallet) return own;
        // Of a token that was written by hand without a uid, only the wallet says whose it is.
        const others = await revoke(['wallet', old], ({ uid }) => uid === undefined);
        return { revoked: own.revoked + others.revoked };
      },
    );
    note(`Revoked ${formatAmount(revoked, 'token')} of ${name}.`);
  }
  if (!hasWallet(account) || claimOf(account) === wallet) return;
  const old = flags.revokeTokens
    ? 'They'
    : 'The tokens that they have created stay valid for up to a day. They';
  note(
    `${old} can create tokens for the old wallet for an hour, until their ID token expires. ` +
      'Run this again with --revoke-tokens after an hour.',
  );
}

/** @throws Failure that says why the account may not get the wallet */
async function linkWallet(
  target: Target,
  named: string,
  wallet: Wallet,
  flags: LinkFlags,
): Promise<void> {
  const account = await readAccount(target.auth, named);
  const [name, old] = [nameOf(account), claimOf(account)];
  const findHolders = () => readOtherHolders(target, account, wallet);
  const holders = await findHolders();
  const reason = refusal(account, holders, flags);
  if (reason !== undefined) throw new Failure(`${name}: ${reason}.`);
  for (const holder of holders) note(`${nameOf(holder)} also has this wallet.`);

  const count = await countDocuments(target.db, wallet);
  const attestations = formatAmount(count, 'attestation');
  if (old === wallet) {
    note(`${name} already has this wallet, which has ${attestations}.`);
    return await endTokens(target, account, flags, wallet);
  }
  // A mistyped address may be an address too, but one without attestations.
  if (count === 0) note(`No attestation has the wallet ${wallet}. Check each character.`);
  const place = hasWallet(account)
    ? `, in place of ${escapeForTerminal(shownClaim(account) ?? '')}`
    : '';
  await target.change(
    `Give ${describeAccount(account)} the wallet ${wallet}, with ${attestations}${place}`,
    ({ auth }) => writeWallet(auth, account, wallet),
  );
  note(`${name} now has the wallet ${wallet}.`);
  // While this command waited, another one may have linked the wallet too.
  const rivals = flags.shared ? [] : await findHolders();
  if (rivals.length > 0) {
    const names = rivals.map(nameOf).join(', ');
    throw new Failure(
      `${names} got the wallet at the same time as ${name}. Decide whose it is, and unlink it from the others.`,
    );
  }
  await endTokens(target, account, flags, wallet);
}

function refusal(
  account: UserRecord,
  holders: readonly UserRecord[],
  { shared, unverified }: LinkFlags,
): string | undefined {
  if (account.disabled) return 'the account is disabled; enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not check whether it is verified.
  if (!account.emailVerified && !unverified) {
    return 'this address is not verified; ask the person to reset their password, which verifies it, or add --unverified if you know that it is theirs';
  }
  if (holders.length === 0 || shared) return undefined;
  const names = holders.map(nameOf).join(', ');
  return `${names} already has the wallet; unlink it there first, or add --shared if one person has both accounts`;
}

/** Shows an account, its wallet, and why lookups by its address may fail. */
async function show(target: Target, named: string): Promise<void> {
  const account = await readAccount(target.auth, named);
  const { uid, email, emailVerified, disabled } = account;
  const { createdAt, lastSignInAt, signInMethods } = originOf(account);
  const wallet = parseWallet(claimOf(account));
  const ofAddress = email === undefined ? [] : await readAccounts(target.auth, email);
  const own = await listTokens(target, 'uid', uid);
  const ofWallet = wallet === undefined ? [] : await listTokens(target, 'wallet', wallet);
  const tokens = [...own, ...ofWallet.filter((one) => one.uid !== uid)];
  const reason = notFoundReason(account, ofAddress.length);
  const unless = emailVerified ? '' : ', unless LOOKUP_VERIFIED_EMAIL_ONLY is true';
  const rows: [field: string, value: string | null | undefined][] = [
    ['e-mail', email],
    ['uid', uid],
    ['sign-in methods', signInMethods.join(', ') || null],
    ['created', createdAt],
    ['last sign-in', lastSignInAt],
    ['address verified', emailVerified ? 'yes' : 'no'],
    ['disabled', disabled ? 'yes' : 'no'],
    ['wallet', shownClaim(account)],
    ['lookups by e-mail', reason ? `404: ${reason}` : `find the wallet${unless}`],
    // Those of the user and of the wallet.
    ['valid tokens', describeTokens(tokens)],
    // Only the names, since the values belong to other programs.
    ['other claims', Object.keys(claimsWith(account, undefined)).join(', ') || null],
  ];
  await printTable(rows, { FIELD: ([field]) => field, VALUE: ([, value]) => value });
}

/** For example "3 (2 only for Acme DAO)". */
function describeTokens(tokens: readonly ListedToken[]): string {
  const valid = tokens.filter(({ state }) => state === 'valid');
  const limited = [...Map.groupBy(valid, ({ project }) => project)].flatMap(([project, of]) =>
    project === undefined ? [] : [`${formatCount(of.length)} only for ${project}`],
  );
  return formatCount(valid.length) + (limited.length > 0 ? ` (${limited.join(', ')})` : '');
}
