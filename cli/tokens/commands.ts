// The group `tokens`: list and revoke verification tokens (specification, 2.4).

import { FieldPath, type Firestore } from 'firebase-admin/firestore';
import { parseTokenId, type TokenId } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { parseAddress } from '../frame/input.ts';
import { collect, isoTime, minuteOf, note, printTable, reportProgress } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, formatCount } from '../terminal/table.ts';
import {
  type ListedToken,
  readTokens,
  type TokenFilter,
  writeTokenRevocations,
} from './records.ts';

interface Owner {
  readonly wallet?: Wallet;
  readonly uid?: string;
}

export function addTokensGroup(program: AdminCommand): void {
  const tokens = program.command('tokens').description('list and revoke verification tokens');

  tokens
    .command('list')
    .description('list the tokens of a wallet')
    .requiredOption('--wallet <address>', 'the wallet of the tokens (required)', parseAddress)
    .example('tokens list --wallet ADDRESS')
    .onTarget(async (target, { wallet }: { wallet: Wallet }) => {
      const listed = await listTokens(target, 'wallet', wallet);
      if (listed.length === 0) return note('The wallet has no tokens.');
      await printTable(
        listed.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0)),
        {
          TOKEN: ({ token }) => token,
          STATE: ({ state }) => state,
          'CREATED (UTC)': ({ createdAt }) => minuteOf(isoTime(createdAt)),
          'CREATED BY': ({ uid }) => uid,
          'ONLY FOR': ({ project }) => project,
        },
      );
    });

  tokens
    .command('revoke')
    .description(
      'revoke a token, or all tokens of a wallet or a user; later lookups with these tokens get 404',
    )
    .argument('[token]', 'the token', parseToken)
    .option('--wallet <address>', 'all tokens for this wallet', parseAddress)
    .option('--uid <uid>', 'all tokens that this user has created', parseUid)
    .example('tokens revoke --wallet ADDRESS')
    .hook('preAction', (_, command) => {
      if (command.args.length + Object.keys(command.opts()).length === 1) return;
      throw usageFailure('Give exactly one of a token, --wallet and --uid.');
    })
    .onTarget(async (target, token: TokenId | undefined, { wallet, uid = '' }: Owner) => {
      const [whose, filter]: [string, TokenFilter] = wallet
        ? [`the wallet ${wallet}`, ['wallet', wallet]]
        : [`the user ${escapeForTerminal(uid)}`, ['uid', uid]];
      const { read, revoked } = await target.change(
        `Revoke ${token ? 'this token' : `all tokens of ${whose}`}`,
        ({ db }) =>
          revokeTokens(db, token ? [FieldPath.documentId(), token] : filter, target.nowMs()),
      );
      if (token && read === 0) throw new Failure('The token does not exist. Check it.');
      note(
        `Revoked ${formatAmount(revoked, 'token')} (${formatCount(read - revoked)} had already expired or ` +
          'been revoked). Users can still create new tokens.',
      );
    });
}

export const listTokens = ({ db, nowMs }: Target, ...filter: TokenFilter): Promise<ListedToken[]> =>
  collect(readTokens(db, filter, nowMs()), 'tokens read');

/** Refuses the value of a variable that is not set. */
function parseUid(text: string): string {
  if (text !== '') return text;
  throw usageFailure('The uid is empty. `users show ADDRESS` shows it.');
}

function parseToken(text: string): TokenId {
  const token = parseTokenId(text);
  if (token) return token;
  throw usageFailure('A token is a UUID of 32 hex digits in five groups.');
}

/** Revokes all live tokens that match. @param isMeant which of them; by default all */
export async function revokeTokens(
  db: Firestore,
  filter: TokenFilter,
  nowMs: number,
  isMeant?: (token: ListedToken) => boolean,
) {
  using progress = reportProgress('tokens read');
  let counts = { read: 0, revoked: 0 };
  for await (counts of writeTokenRevocations(db, filter, nowMs, isMeant)) {
    progress.report(counts.read, `${formatCount(counts.revoked)} revoked`);
  }
  return counts;
}
