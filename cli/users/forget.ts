// The command `users forget`: shows what is stored about a person, removes it, and says what it cannot remove.

import type { UserRecord } from 'firebase-admin/auth';
import { parseWallet } from '../../records/wallet.ts';
import { readAdmins } from '../admins/records.ts';
import { collect, note, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { describeAccount, nameOf, readAccount, readAccounts } from '../frame/userAccounts.ts';
import { Failure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount } from '../terminal/table.ts';
import { listTokens } from '../tokens/commands.ts';
import { type ListedToken, writeTokenDeletions } from '../tokens/records.ts';
import { claimOf, hasWallet, readMatching, shownClaim, writeWallet } from './records.ts';

/** @param named an address, or a uid, whose account may have been deleted already */
export async function forget(
  target: Target,
  named: string,
  { deleteAccount = false }: { deleteAccount?: boolean },
): Promise<void> {
  const { auth, db } = target;
  const account = named.includes('@')
    ? await readAccount(auth, named)
    : (await readAccounts(auth, named)).at(0);
  const uid = account?.uid ?? named;
  const name = account ? nameOf(account) : escapeForTerminal(uid);
  const admin = (await readAdmins(db)).find((each) => each.uid === uid);
  if (admin?.active) {
    throw new Failure(
      `${name} is an admin. First run: ${target.commandLine(`admins revoke ${name}`)}`,
    );
  }
  const holders = account ? await readOtherHolders(target, account) : [];
  const tokens = await readTheirTokens(target, uid, account, holders);
  await printTable(
    [
      ['account', account ? describeAccount(account) : null],
      ['wallet', account ? shownClaim(account) : null],
      ['other accounts with this wallet', holders.map(nameOf).join(', ') || null],
      ['tokens', formatAmount(tokens.length, 'token')],
    ],
    { 'STORED ABOUT THE PERSON': ([what]) => what, VALUE: ([, value]) => value },
  );
  if (!account && tokens.length === 0) {
    throw new Failure(`There is neither an account nor a token of ${name}. Check the uid.`);
  }
  const parts = [
    `delete ${formatAmount(tokens.length, 'token')}`,
    ...(account && hasWallet(account) ? ['remove the wallet'] : []),
    ...(account && deleteAccount ? ['delete the account'] : []),
  ];
  await target.change(`Forget ${name} (${parts.join(', ')})`, async (writes) => {
    // The wallet first, because a user could delay that by creating many tokens.
    if (account && hasWallet(account)) await writeWallet(writes.auth, account, undefined);
    await writeTokenDeletions(writes.db, tokens);
    if (account && deleteAccount) await writes.auth.deleteUser(uid);
  });
  note(`Done: ${parts.join(', ')}.`);
  for (const holder of holders) {
    note(`${nameOf(holder)} has the same wallet. If it is the same person, forget it too.`);
  }
  note(
    'The person can create tokens until their ID token expires, in at most an hour. Then run:\n' +
      `  ${target.commandLine(`users forget ${uid}${deleteAccount ? ' --delete-account' : ''}`)}`,
  );
  if (account && !deleteAccount) {
    note('The account was kept. Add --delete-account, unless other services of yours use it.');
  }
  note('This command cannot reach the following:');
  await printTable(REMAINS, {
    WHAT: ([what]) => what,
    'WHAT HAPPENS TO IT': ([, happens]) => happens,
  });
}

/** Reads the other accounts that have a wallet, which is by default that of the account. */
export async function readOtherHolders(
  { auth }: Target,
  account: UserRecord,
  wallet = claimOf(account),
): Promise<UserRecord[]> {
  if (wallet === undefined) return [];
  const isHolder = (other: UserRecord) => other.uid !== account.uid && claimOf(other) === wallet;
  return await collect(readMatching(auth, isHolder), 'other accounts of this wallet found');
}

/** Reads the tokens that the person created, and those for their wallet, unless another holder created them. */
async function readTheirTokens(
  target: Target,
  uid: string,
  account: UserRecord | undefined,
  holders: readonly UserRecord[],
): Promise<ListedToken[]> {
  const own = await listTokens(target, 'uid', uid);
  const wallet = account && parseWallet(claimOf(account));
  if (wallet === undefined) return own;
  const ofWallet = await listTokens(target, 'wallet', wallet);
  const others = new Set([uid, ...holders.map((holder) => holder.uid)]);
  return [...own, ...ofWallet.filter((token) => !others.has(token.uid ?? ''))];
}

/** What else holds data about a person, and what happens to it. */
const REMAINS: readonly (readonly [what: string, happens: string])[] = [
  [
    'attestations of the wallet',
    'Kept. They are copies of public accounts on the chain. Lookups by wallet still return them',
  ],
  [
    "a revoked admin's record, and API keys that name the person",
    'Kept, because they record who could create and revoke keys. `keys change` removes the contact of an active key. Edit other fields in the Firebase console',
  ],
  [
    "the function's log",
    'Contains no subject. A warning about an invalid attestation names its document, whose id may be derived from the wallet',
  ],
  [
    "Google Cloud's request logs and Data Access audit logs",
    'May contain an address, token or wallet, if you keep them',
  ],
  [
    'backups, point-in-time recovery and daily copies',
    "Keep deleted data for at most four weeks. Note the person's uid for so long, and forget them again if you restore data",
  ],
  [
    'responses that integrators keep as evidence',
    'Contain the address, token or wallet. Ask the integrators that may have looked the person up',
  ],
  [
    'your files',
    'Exports of accounts, lists of keys and the history of your shell may name the person',
  ],
  ['the chain', 'Public and permanent. Only the issuer of an attestation can revoke it'],
];
