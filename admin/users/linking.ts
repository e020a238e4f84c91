// Links accounts to wallets: plans all changes, then makes them one after the other.

import type { UserRecord } from 'firebase-admin/auth';
import { note, printTable } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { formatCount } from '../terminal/table.ts';
import { isLive, type ListedToken, writeTokenRevocations } from '../tokens/records.ts';
import { claimOf, hasWallet, readAccounts, writeWallet } from './accounts.ts';
import { searchHolders } from './holders.ts';
import { type Allowed, type Decision, decide, type Holders, type Link } from './links.ts';
import { printOldTokens, readUserTokens, warnOfIdTokens } from './tokens.ts';

const FINDINGS = 1;

type Planned = Extract<Decision, { account: UserRecord }>;
type Refused = Extract<Decision, { refused: string }>;

/** Decides on each link. It lists all accounts, unless every link is refused beforehand. */
export async function planLinks(
  target: Target,
  links: readonly Link[],
  allowed: Allowed,
): Promise<Decision[]> {
  const auth = target.accounts();
  const found = await readAccounts(
    auth,
    links.map(({ email }) => ({ email })),
  );
  const accounts = new Map(found.map((account) => [account.email, account]));
  const wanted = Map.groupBy(links, ({ wallet }) => wallet);
  const decideAll = (holders: Holders): Decision[] =>
    links.map((link) => {
      const { length } = wanted.get(link.wallet) ?? [];
      return decide(link, accounts.get(link.email), holders, allowed, length);
    });
  const early = decideAll(new Map());
  if (early.every((decision) => 'refused' in decision)) return early;
  return decideAll(await searchHolders(target, [...wanted.keys(), ...found.map(claimOf)]));
}

export const plannedOf = (decisions: readonly Decision[]): Planned[] =>
  decisions.filter((decision): decision is Planned => 'account' in decision);

/** Prints the number of planned changes, and each refusal with its line. */
export async function printPlan(decisions: readonly Decision[]): Promise<void> {
  const planned = plannedOf(decisions);
  const linked = planned.filter(({ isLinked }) => isLinked).length;
  const moved = planned.filter(({ account, isLinked }) => !isLinked && hasWallet(account)).length;
  const refused = decisions.filter((decision): decision is Refused => 'refused' in decision);
  note(
    `To link: ${planned.length - linked - moved}. To move from another wallet: ${moved}. ` +
      `Already linked: ${linked}. Refused: ${refused.length}.`,
  );
  if (refused.length === 0) return;
  currentRun().exitStatus = FINDINGS;
  const rows = refused.map(({ link, refused: why }) => [String(link.line), link.email, why]);
  await printTable(['LINE', 'EMAIL', 'REFUSED'], rows);
}

/**
 * Makes the changes. It can be stopped at any time; the next run skips finished changes.
 *
 * @param revokesTokens whether to revoke the tokens of old wallets. Accounts that are already linked may
 *   have such tokens too.
 */
export async function applyLinks(
  target: ChangeTarget,
  planned: readonly Planned[],
  revokesTokens: boolean,
): Promise<void> {
  const auth = target.accounts();
  const changes = planned.filter(({ isLinked }) => revokesTokens || !isLinked);
  const old: ListedToken[] = [];
  const failed: Failure[] = [];
  const progress = startProgress(changes.length, 'accounts linked', currentRun().stderr);
  let [done, moved] = [0, 0];
  try {
    for (const { link, account, isLinked, isOldShared } of changes) {
      if (revokesTokens || hasWallet(account)) {
        const tokens = await readUserTokens(target.db, account, isOldShared, target.openedAtMs);
        const stale = tokens.filter((token) => isLive(token) && token.wallet !== link.wallet);
        old.push(...stale);
        // Revoked first, because a run after an interruption finds these tokens only while the account
        // still has the old wallet.
        if (revokesTokens) await writeTokenRevocations(target.db, stale);
      }
      try {
        if (!isLinked) await writeWallet(auth, account, link.wallet);
        if (!isLinked && hasWallet(account)) moved += 1;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failed.push(error);
      }
      done += 1;
      progress.report(done);
    }
  } catch (error) {
    progress.end();
    note(
      `${formatCount(done)} of ${formatCount(changes.length)} are done. To continue, run it again.`,
    );
    throw error;
  }
  progress.end();
  const linked = changes.filter(({ isLinked }) => !isLinked).length - failed.length;
  if (linked > 0) note(`Linked: ${formatCount(linked)}.`);
  for (const { message } of failed) note(message);
  if (failed.length > 0) currentRun().exitStatus = FINDINGS;
  await printOldTokens(old, revokesTokens);
  if (moved > 0) warnOfIdTokens('run this again with --revoke-tokens to revoke those');
}
