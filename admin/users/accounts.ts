// The wallet of an account, the custom claim `wallet` in Firebase Authentication, who else has it, and the user's
// verification tokens, which may still resolve to an old wallet.

import { isDeepStrictEqual } from 'node:util';
import type { Auth, UserRecord } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { COLLECTIONS } from '../../records/collections.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { note, printTable } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListedToken, readTokens } from '../tokens/records.ts';

/** Authentication's limit on all claims of an account as JSON. */
export const CLAIMS_MAX_BYTES = 1_000;

/** The stored claim, which may not be a valid wallet; undefined if there is none. */
export const claimOf = ({ customClaims }: UserRecord): unknown => customClaims?.['wallet'];

export const hasWallet = (account: UserRecord): boolean => claimOf(account) !== undefined;

export const walletOf = (account: UserRecord): Wallet | undefined => parseWallet(claimOf(account));

/** Sets or removes the wallet in the claims, and keeps the claims of other programs. */
export function claimsWith(account: UserRecord, wallet: Wallet | undefined): object {
  const { wallet: _, ...others } = account.customClaims ?? {};
  return wallet === undefined ? others : { ...others, wallet };
}

/**
 * Sets or removes the wallet. Authentication replaces all claims together and has no conditional write,
 * so the account is read just before and after. A write by somebody else between the two reads is either
 * overwritten or detected.
 *
 * @param account the account when the change was decided
 * @throws Failure when somebody else has changed the claims in the meantime
 */
export async function writeWallet(
  auth: Auth,
  account: UserRecord,
  wallet: Wallet | undefined,
): Promise<void> {
  const { uid } = account;
  const before = await auth.getUser(uid);
  if (!isDeepStrictEqual(claimOf(before), claimOf(account))) throw changedMeanwhile(account);
  const claims = claimsWith(before, wallet);
  await auth.setCustomUserClaims(uid, Object.keys(claims).length > 0 ? claims : null);
  const { customClaims = {} } = await auth.getUser(uid);
  if (!isDeepStrictEqual({ ...customClaims }, claims)) throw changedMeanwhile(account);
}

const changedMeanwhile = (account: UserRecord): Failure =>
  new Failure(
    `Somebody else changed the claims of ${nameOf(account)} at the same time. Look at them with ` +
      '`users show`, then run this again.',
  );

/** The number of mirrored attestations of a wallet. */
export async function countAttestations(db: Firestore, wallet: Wallet): Promise<number> {
  const attestations = db.collection(COLLECTIONS.attestations).where('wallet', '==', wallet);
  return (await attestations.count().get()).data().count;
}

/** Authentication's maximum for one request. */
const ACCOUNTS_PER_PAGE = 1_000;

/** Searches all accounts. @returns the other accounts that have one of the wallets; undefined ones are ignored */
export async function findOthers(
  target: Target,
  { uid }: UserRecord,
  wallets: readonly unknown[],
): Promise<UserRecord[]> {
  const sought = new Set<unknown>(wallets.filter((wallet) => wallet !== undefined));
  if (sought.size === 0) return [];
  using progress = startProgress(undefined, 'accounts searched', currentRun().stderr);
  const found: UserRecord[] = [];
  let listed = 0;
  let next: string | undefined;
  do {
    const { users, pageToken } = await target.accounts().listUsers(ACCOUNTS_PER_PAGE, next);
    found.push(...users.filter((other) => other.uid !== uid && sought.has(claimOf(other))));
    listed += users.length;
    progress.report(listed);
    next = pageToken;
  } while (next !== undefined);
  return found;
}

/** How the admin recognizes an account. */
export const nameOf = ({ email, uid }: UserRecord): string => escapeForTerminal(email ?? uid);

/**
 * Reads the tokens that the user has created, and other tokens for their wallet, such as those issued by
 * an admin. If the wallet is shared, the others may belong to another user, so they are omitted.
 *
 * @param account the account while it still has the wallet
 * @param isShared whether another account also has the wallet
 */
export async function readUserTokens(
  db: Firestore,
  account: UserRecord,
  isShared: boolean,
  nowMs: number,
): Promise<ListedToken[]> {
  const wallet = isShared ? undefined : walletOf(account);
  const [made, ofWallet] = await Promise.all([
    readTokens(db, { uid: account.uid }, nowMs),
    wallet === undefined ? [] : readTokens(db, { wallet }, nowMs),
  ]);
  return [...made, ...ofWallet.filter(({ uid }) => uid !== account.uid)];
}

/** Reads the tokens of a user who is about to lose the wallet. */
export async function readTokensOf(target: Target, account: UserRecord): Promise<ListedToken[]> {
  const others = await findOthers(target, account, [claimOf(account)]);
  return await readUserTokens(target.db, account, others.length > 0, target.openedAtMs);
}

/** Prints the tokens that resolve to a wallet which their user no longer has. */
export async function printOldTokens(
  tokens: readonly ListedToken[],
  areRevoked: boolean,
): Promise<void> {
  if (tokens.length === 0) return;
  await printTable(
    ['TOKEN', 'STATE', 'CREATED BY'],
    tokens.map(({ token, state, uid }) => [token, areRevoked ? 'revoked' : state, uid]),
  );
  note(
    areRevoked
      ? `Revoked tokens of the old wallet: ${tokens.length}.`
      : `Tokens of the old wallet that are not revoked: ${tokens.length}. Add --revoke-tokens, or wait a day.`,
  );
}

/** Warns that users can create tokens for a removed wallet until their ID token expires. */
export const warnOfIdTokens = (advice: string): void =>
  note(
    'ID tokens that were issued earlier keep the old wallet for up to an hour. Until then their users ' +
      `can create verification tokens for it. After an hour, ${advice}.`,
  );
