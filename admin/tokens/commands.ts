// The group `tokens`: issue, list, revoke and purge verification tokens (specification, 2.4).

import type { Command } from 'commander';
import {
  parseTokenId,
  TOKEN_LIFETIME,
  TOKEN_LIFETIME_MS,
} from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { requireWallet } from '../frame/input.ts';
import { isoTime, note, printJson, printSecret, printTable, utcMinute } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import { type ChangeTarget, openTarget, openToChange, type Target } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { escapeForTerminal, formatAmount } from '../terminal/table.ts';
import {
  countExpiredTokens,
  deleteExpiredTokens,
  isLive,
  readTokens,
  writeNewToken,
  writeTokenRevocation,
  writeTokenRevocations,
} from './records.ts';

/** The options that select tokens by owner, before parsing. */
interface Owner {
  readonly wallet?: string;
  readonly uid?: string;
}

export function addTokensGroup(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('issue, list, revoke and purge verification tokens, for support and testing');

  tokens
    .command('issue')
    .description('create a token for a wallet and print it on standard output')
    .requiredOption('--wallet <address>', 'the wallet that the token identifies')
    .action(async (options: { wallet: string }, command: Command) => {
      const wallet = requireWallet(options.wallet);
      await using target = await openToChange(command);
      const token = await target.change(
        `Issue a token for the wallet ${wallet}`,
        () => writeNewToken(target.db, wallet),
        { next: 'Nobody has this token, so run the command again.' },
      );
      note(`The token is valid until ${utcMinute(target.openedAtMs + TOKEN_LIFETIME_MS)} UTC.`);
      await printSecret(token);
    });

  tokens
    .command('list')
    .description('list the tokens of a wallet')
    .requiredOption('--wallet <address>', 'the wallet that the tokens identify')
    .option('--json', 'print JSON')
    .action(async (options: { wallet: string; json?: boolean }, command: Command) => {
      const wallet = requireWallet(options.wallet);
      await using target = await openTarget(command);
      await list(target, wallet, options.json === true);
    });

  tokens
    .command('revoke')
    .description(
      'revoke a token, or all tokens of a wallet or a user; later lookups with these tokens get 404',
    )
    .argument('[token]', 'the token')
    .option('--wallet <address>', 'all tokens for this wallet')
    .option('--uid <uid>', 'all tokens that this user has created')
    .action(async (text: string | undefined, owner: Owner, command: Command) => {
      if ([text, owner.wallet, owner.uid].filter((one) => one !== undefined).length !== 1) {
        throw usageFailure('Give exactly one of a token, --wallet and --uid.');
      }
      if (text === undefined) await revokeAll(owner, command);
      else await revokeOne(text, command);
    });

  tokens
    .command('purge')
    .description(`delete the tokens that are older than ${TOKEN_LIFETIME}`)
    .action(async (_options: object, command: Command) => {
      await using target = await openToChange(command);
      await purge(target);
    });
}

async function revokeOne(text: string, command: Command): Promise<void> {
  const token = parseTokenId(text);
  if (!token) throw usageFailure('A token is a UUID of 32 hex digits in five groups.');
  await using target = await openToChange(command);
  const before = await target.change('Revoke this token', () =>
    writeTokenRevocation(target.db, token, target.openedAtMs),
  );
  note(
    before === 'revoked'
      ? 'The token was already revoked. Nothing was changed.'
      : `The token is revoked${before === 'expired' ? '. It had already expired' : ''}.`,
  );
}

async function revokeAll({ wallet, uid = '' }: Owner, command: Command): Promise<void> {
  const owner = wallet === undefined ? { uid } : { wallet: requireWallet(wallet) };
  const whose =
    wallet === undefined ? `the user ${escapeForTerminal(uid)}` : `the wallet ${wallet}`;
  await using target = await openToChange(command);
  const tokens = await readTokens(target.db, owner, target.openedAtMs);
  const live = tokens.filter(isLive);
  const others = `${tokens.length - live.length} had already expired or been revoked`;
  if (live.length === 0) {
    note(`There is no token of ${whose} to revoke (${others}). Nothing was changed.`);
    return;
  }
  const amount = formatAmount(live.length, 'token');
  await target.change(`Revoke ${amount} of ${whose}`, () => writeTokenRevocations(target.db, live));
  note(`Revoked ${amount} of ${whose} (${others}). Users can still create new tokens.`);
}

async function list(target: Target, wallet: Wallet, asJson: boolean): Promise<void> {
  const tokens = await readTokens(target.db, { wallet }, target.openedAtMs);
  if (asJson) {
    await printJson(
      tokens.map(({ token, state, uid = null, createdAt }) => ({
        token,
        state,
        uid,
        createdAt: isoTime(createdAt),
      })),
    );
  } else if (tokens.length === 0) note('The wallet has no tokens.');
  else {
    await printTable(
      ['TOKEN', 'STATE', 'CREATED (UTC)', 'MADE BY'],
      tokens.map(({ token, state, createdAt, uid }) => [token, state, utcMinute(createdAt), uid]),
    );
  }
}

async function purge(target: ChangeTarget): Promise<void> {
  const total = await countExpiredTokens(target.db, target.openedAtMs);
  if (total === 0) return note(`No token is older than ${TOKEN_LIFETIME}.`);
  await target.confirm(`Delete ${formatAmount(total, 'token')} older than ${TOKEN_LIFETIME}`);
  const progress = startProgress(total, 'tokens deleted', currentRun().stderr);
  progress.report(0);
  let deleted = 0;
  for await (deleted of deleteExpiredTokens(target.db, target.openedAtMs)) progress.report(deleted);
  progress.end();
  note(`Deleted ${formatAmount(deleted, 'token')}.`);
}
