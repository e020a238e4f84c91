// Erasure: lists the stored data of a user, says what is deleted or kept and why, and deletes it.

import type { UserRecord } from 'firebase-admin/auth';
import { Filter } from 'firebase-admin/firestore';
import { parseAdminRecord } from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { note, printTable } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { deleteTokens } from '../tokens/records.ts';
import {
  countAttestations,
  hasWallet,
  nameOf,
  readTokensOf,
  walletOf,
  warnOfIdTokens,
  writeWallet,
} from './accounts.ts';

/** Data that `users forget` cannot find or delete. docs/administration.md says what to do about each. */
const NOT_LISTED = `Not listed, because it is not in this database:
- Attestations on the chain are public, and only their issuer can revoke them.
- Backups and point-in-time recovery keep deleted data for up to 4 weeks.
- Google Cloud's request logs may contain the address, a token or the wallet, unless they are excluded.
- Integrators keep the responses that they have stored as evidence. Ask them to delete these.
- Admins may have saved files, such as lists of keys.`;

/**
 * Lists the data, and deletes the wallet and the tokens if the target can be changed.
 *
 * @param deleteAccount whether to delete the account too
 */
export async function forget(
  target: Target | ChangeTarget,
  account: UserRecord,
  deleteAccount: boolean,
): Promise<void> {
  const { db } = target;
  const { uid, email } = account;
  const [name, wallet] = [nameOf(account), walletOf(account)];
  const people = email === undefined ? [uid] : [uid, email];
  const namesUser = ['createdBy', 'revokedBy', 'contact'].map((field) =>
    Filter.where(field, 'in', people),
  );
  const [tokens, attestations, admin, keys] = await Promise.all([
    readTokensOf(target, account),
    wallet ? countAttestations(db, wallet) : 0,
    db.collection(COLLECTIONS.admins).doc(uid).get(),
    db
      .collection(COLLECTIONS.apiKeys)
      .where(Filter.or(...namesUser))
      .count()
      .get(),
  ]);
  const rows: [count: number, what: string, outcome: string][] = [
    [Number(hasWallet(account)), 'wallet of the account', 'deleted'],
    [tokens.length, 'verification tokens', 'deleted'],
    [1, 'account in Authentication', deleteAccount ? 'deleted' : 'kept, unless --delete-account'],
    [attestations, 'attestations of the wallet', 'kept, because they are public on the chain'],
    [Number(admin.exists), 'admin record', 'kept, to show who could manage keys'],
    [
      keys.data().count,
      'API keys that name the user',
      'kept, to show who made them or whom to ask',
    ],
  ];
  await printTable(
    ['COUNT', 'WHAT', 'OUTCOME'],
    rows.filter(([count]) => count > 0).map(([count, ...texts]) => [String(count), ...texts]),
  );
  note(NOT_LISTED);
  if (!('change' in target)) return note('Nothing was changed. Add --apply to delete.');

  if (parseAdminRecord(admin.data() ?? {}).active) {
    throw new Failure(`${name} is an admin. Run \`admins revoke ${name}\` first.`);
  }
  const auth = target.accounts();
  const what = deleteAccount ? 'wallet, tokens and account' : 'wallet and tokens';
  await target.change(`Delete the ${what} of ${name}`, async () => {
    await deleteTokens(db, tokens);
    if (hasWallet(account)) await writeWallet(auth, account, undefined);
    // Last, so that an interrupted run can be repeated.
    if (deleteAccount) await auth.deleteUser(uid);
  });
  note(`Deleted the ${what} of ${name} (uid ${uid}).`);
  if (!hasWallet(account)) return;
  warnOfIdTokens(
    deleteAccount
      ? `run \`tokens revoke --uid ${uid}\`. \`tokens purge\` deletes them a day later`
      : 'run this again to delete those tokens',
  );
}
