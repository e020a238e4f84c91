// The group `tokens`: list and revoke verification tokens (specification, 2.4).

import type { Command } from 'commander';
import { parseTokenId } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { parseAddress } from '../frame/input.ts';
import { isoTime, minuteOf, note, printJson, printTable } from '../frame/output.ts';
import { openTarget, openToChange } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount } from '../terminal/table.ts';
import { isLive, readTokens, writeTokenRevocation, writeTokenRevocations } from './records.ts';

/** The options that select tokens by owner. */
interface Owner {
  readonly wallet?: Wallet;
  readonly uid?: string;
}

export function addTokensGroup(program: Command): void {
  const tokens = program.command('tokens').description('list and revoke verification tokens');

  tokens
    .command('list')
    .description('list the tokens of a wallet')
    .requiredOption('--wallet <address>', 'the wallet that the tokens identify', parseAddress)
    .option('--json', 'print JSON')
    .action(async (options: { wallet: Wallet; json?: boolean }, command: Command) => {
      const { wallet, json } = options;
      await using target = await openTarget(command);
      const listed = await readTokens(target.db, { wallet }, target.openedAtMs);
      const rows = listed.map(({ token, state, uid = null, createdAt }) => ({
        token,
        state,
        uid,
        createdAt: isoTime(createdAt),
      }));
      if (json) await printJson(rows);
      else if (rows.length === 0) note('The wallet has no tokens.');
      else {
        await printTable(
          ['TOKEN', 'STATE', 'CREATED (UTC)', 'CREATED BY'],
          rows.map(({ token, state, createdAt, uid }) => [token, state, minuteOf(createdAt), uid]),
        );
      }
    });

  tokens
    .command('revoke')
    .description(
      'revoke a token, or all tokens of a wallet or a user; later lookups with these tokens get 404',
    )
    .argument('[token]', 'the token')
    .option('--wallet <address>', 'all tokens for this wallet', parseAddress)
    .option('--uid <uid>', 'all tokens that this user has created')
    .action(async (text: string | undefined, owner: Owner, command: Command) => {
      if ([text, owner.wallet, owner.uid].filter((one) => one !== undefined).length !== 1) {
        throw usageFailure('Give exactly one of a token, --wallet and --uid.');
      }
      await (text === undefined ? revokeAll(owner, command) : revokeOne(text, command));
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
  const whose = wallet ? `the wallet ${wallet}` : `the user ${escapeForTerminal(uid)}`;
  await using target = await openToChange(command);
  const tokens = await readTokens(target.db, wallet ? { wallet } : { uid }, target.openedAtMs);
  const live = tokens.filter(isLive);
  const others = `${tokens.length - live.length} had already expired or been revoked`;
  if (live.length === 0) {
    return note(`There is no token of ${whose} to revoke (${others}). Nothing was changed.`);
  }
  const amount = formatAmount(live.length, 'token');
  await target.change(`Revoke ${amount} of ${whose}`, () => writeTokenRevocations(target.db, live));
  note(`Revoked ${amount} of ${whose} (${others}). Users can still create new tokens.`);
}
