// The group `tokens`: list and revoke verification tokens (specification, 2.4).

import type { Command } from 'commander';
import type { Firestore } from 'firebase-admin/firestore';
import { parseTokenId } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { example, parseAddress } from '../frame/input.ts';
import {
  collect,
  isoTime,
  minuteOf,
  note,
  printJson,
  printTable,
  reportProgress,
} from '../frame/output.ts';
import { openTarget } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, formatCount } from '../terminal/table.ts';
import {
  readTokens,
  type TokenOwner,
  writeTokenRevocation,
  writeTokenRevocations,
} from './records.ts';

/** The options that select tokens by owner. */
interface OwnerFlags {
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
    .addHelpText('after', example('tokens list --wallet ADDRESS'))
    .action(async (options: { wallet: Wallet; json?: boolean }, command: Command) => {
      const { wallet, json } = options;
      await using target = await openTarget(command);
      const pages = readTokens(target.db, { wallet }, target.openedAtMs);
      const listed = await collect(pages, 'tokens read');
      listed.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
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
    .addHelpText('after', example('tokens revoke --wallet ADDRESS'))
    .action(async (text: string | undefined, owner: OwnerFlags, command: Command) => {
      if ([text, owner.wallet, owner.uid].filter((one) => one !== undefined).length !== 1) {
        throw usageFailure('Give exactly one of a token, --wallet and --uid.');
      }
      await (text === undefined ? revokeAll(owner, command) : revokeOne(text, command));
    });
}

async function revokeOne(text: string, command: Command): Promise<void> {
  const token = parseTokenId(text);
  if (!token) throw usageFailure('A token is a UUID of 32 hex digits in five groups.');
  await using target = await openTarget(command);
  const before = await target.change('Revoke this token', ({ db }) =>
    writeTokenRevocation(db, token, target.openedAtMs),
  );
  note(
    before === 'revoked'
      ? 'The token was already revoked. Nothing was changed.'
      : `The token is revoked${before === 'expired' ? '. It had already expired' : ''}.`,
  );
}

async function revokeAll({ wallet, uid = '' }: OwnerFlags, command: Command): Promise<void> {
  const whose = wallet ? `the wallet ${wallet}` : `the user ${escapeForTerminal(uid)}`;
  await using target = await openTarget(command);
  const { read, revoked } = await target.change(`Revoke all tokens of ${whose}`, ({ db }) =>
    revokeTokens(db, wallet ? { wallet } : { uid }, target.openedAtMs),
  );
  note(
    `Revoked ${formatAmount(revoked, 'token')} of ${whose} (${formatCount(read - revoked)} had already expired or ` +
      'been revoked). Users can still create new tokens.',
  );
}

/** Revokes all live tokens of an owner. @param kept the wallet whose tokens are kept, if any */
export async function revokeTokens(db: Firestore, owner: TokenOwner, nowMs: number, kept?: Wallet) {
  using progress = reportProgress('tokens read');
  let counts = { read: 0, revoked: 0 };
  for await (counts of writeTokenRevocations(db, owner, nowMs, kept)) {
    progress.report(counts.read, `${formatCount(counts.revoked)} revoked`);
  }
  return counts;
}
