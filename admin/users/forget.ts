// Erasure: lists the stored data of a user, says what is deleted or kept and why, and deletes it.

import type { UserRecord } from 'firebase-admin/auth';
import { Filter, type Firestore, type Query } from 'firebase-admin/firestore';
import { parseAdminRecord } from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { note, printTable } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { deleteTokens, type ListedToken } from '../tokens/records.ts';
import { countAttestations, hasWallet, walletOf, writeWallet } from './accounts.ts';
import { readTokensOf, warnOfIdTokens } from './tokens.ts';

export interface ForgetFlags {
  readonly apply?: boolean;
  readonly deleteAccount?: boolean;
}

/** The stored data of a user. */
export interface UserData {
  readonly account: UserRecord;
  readonly tokens: readonly ListedToken[];
  readonly attestations: number;
  /** Undefined if the user was never an admin. */
  readonly isActiveAdmin: boolean | undefined;
  /** The number of API keys that name the user as creator, revoker or contact. */
  readonly keys: number;
}

/** Data that `users forget` cannot find or delete. docs/administration.md says what to do about each. */
const NOT_LISTED = [
  'Not listed, because it is not in this database:',
  '- Attestations on the chain are public, and only their issuer can revoke them.',
  '- Backups and point-in-time recovery keep deleted data for up to 4 weeks.',
  '- Google keeps request logs, which may contain an address or a token, for 30 days.',
  '- Platforms keep the responses that they have stored as evidence. Ask them to delete these.',
  '- Admins may have saved files, such as lists of keys and backups of repairs.',
];

export async function readUserData(target: Target, account: UserRecord): Promise<UserData> {
  const { db } = target;
  const { uid, email } = account;
  const wallet = walletOf(account);
  const names = email === undefined ? [uid] : [uid, email];
  const [tokens, attestations, admin, keys] = await Promise.all([
    readTokensOf(target, account),
    wallet ? countAttestations(db, wallet) : 0,
    db.collection(COLLECTIONS.admins).doc(uid).get(),
    keysOf(db, names).count().get(),
  ]);
  const record = admin.data();
  return {
    account,
    tokens,
    attestations,
    isActiveAdmin: record && parseAdminRecord(record).active,
    keys: keys.data().count,
  };
}

const keysOf = (db: Firestore, names: readonly string[]): Query =>
  db
    .collection(COLLECTIONS.apiKeys)
    .where(
      Filter.or(
        ...['createdBy', 'revokedBy', 'contact'].map((field) => Filter.where(field, 'in', names)),
      ),
    );

export async function printUserData(data: UserData, { deleteAccount }: ForgetFlags): Promise<void> {
  const { account, tokens, attestations, isActiveAdmin, keys } = data;
  const rows: [count: number, what: string, outcome: string][] = [
    [Number(hasWallet(account)), 'wallet of the account', 'deleted'],
    [tokens.length, 'verification tokens', 'deleted'],
    [1, 'account in Authentication', deleteAccount ? 'deleted' : 'kept, unless --delete-account'],
    [attestations, 'attestations of the wallet', 'kept, because they are public on the chain'],
    [Number(isActiveAdmin !== undefined), 'admin record', 'kept, to show who could manage keys'],
    [
      keys,
      'API keys that name the user',
      'kept, to show who created or revoked them, or whom to ask',
    ],
  ];
  const found = rows.filter(([count]) => count > 0);
  const cells = found.map(([count, ...texts]) => [String(count), ...texts]);
  await printTable(['COUNT', 'WHAT', 'OUTCOME'], cells);
  for (const line of NOT_LISTED) note(line);
}

/** Deletes the account last, so that an interrupted run can be repeated. */
export async function applyForget(
  target: ChangeTarget,
  { account, tokens, isActiveAdmin }: UserData,
  { deleteAccount }: ForgetFlags,
): Promise<void> {
  const name = account.email ?? account.uid;
  if (isActiveAdmin) {
    throw new Failure(`${name} is an admin. Run \`admins revoke ${name}\` first.`);
  }
  const auth = target.accounts();
  const what = deleteAccount ? 'wallet, tokens and account' : 'wallet and tokens';
  await target.change(`Delete the ${what} of ${name}`, async () => {
    await deleteTokens(target.db, tokens);
    if (hasWallet(account)) await writeWallet(auth, account, undefined);
    if (deleteAccount) await auth.deleteUser(account.uid);
  });
  note(`Deleted the ${what} of ${name} (uid ${account.uid}).`);
  if (!hasWallet(account)) return;
  warnOfIdTokens(
    deleteAccount
      ? `run \`tokens revoke --uid ${account.uid}\`. \`tokens purge\` deletes them a day later`
      : 'run this again to delete those tokens',
  );
}
