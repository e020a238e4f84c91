// Tests `users` against the emulators: linking, unlinking and showing.

import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import { readAccount } from '../../cli/frame/userAccounts.ts';
import { notFoundReason, writeWallet } from '../../cli/users/records.ts';
import { parseWallet } from '../../records/wallet.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import {
  openOwnProject,
  randomEmail,
  randomWallet,
  seedAdmin,
  seedKey,
  seedToken,
  seedWallet,
} from '../support/seed.ts';
import { addGoogleAccount, runAdmin } from './adminCommand.ts';

const { auth, db } = openEmulators();
const users = (...words: string[]) => runAdmin(['users', ...words]);

const key = await seedKey();

const lookUp = async (target: string) => {
  const { status, json } = await send(servedUrl, { key, target: `?${target}` });
  return json.code ?? (status === 200 ? json.count : status);
};
const byEmail = (email: string) => lookUp(`email=${encodeURIComponent(email)}`);
const claimsOf = async ({ uid }: Account) => (await auth.getUser(uid)).customClaims;

/** Creates an account with a confirmed address. */
async function verifiedAccount(claims: object = {}): Promise<Account> {
  const account = await makeAccount(claims);
  await auth.updateUser(account.uid, { emailVerified: true });
  return account;
}

test('a user is linked, moved to another wallet, and unlinked, and keeps other claims', async () => {
  const account = await verifiedAccount({ role: 'editor', wallet: { address: 'x' } });
  const { email, uid } = account;
  const first = await seedWallet({ attestationType: 0 });
  const second = await seedWallet({ attestationType: 0 }, { attestationType: 1 });
  expect(await byEmail(email)).toBe('email_not_found');
  expect(await users('link-wallet', email.toUpperCase(), first)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(`now has the wallet ${first}.`),
  });
  expect(await claimsOf(account)).toEqual({ role: 'editor', wallet: first });
  expect(await byEmail(email)).toBe(1);

  const token = await seedToken(first, { uid });
  const moved = await users('link-wallet', email, second);
  expect(moved.stderr).not.toContain('Check each character.');
  expect(moved.stderr).toContain('The tokens that they have created stay valid for up to a day.');
  expect(await claimsOf(account)).toEqual({ role: 'editor', wallet: second });
  expect([await byEmail(email), await lookUp(`token=${token}`)]).toEqual([2, 1]);

  // Until it expires, the old ID token still creates tokens for the old wallet.
  const late = await seedToken(first, { uid });
  const last = await seedToken(second, { uid });
  const again = await users('link-wallet', email, second, '--revoke-tokens');
  expect(again.stderr).toContain('already has this wallet');
  // The account had this wallet before, so there is nothing to repeat in an hour.
  expect(again.stderr).not.toContain('after an hour');
  expect(again.stderr).toContain(`Revoked 2 tokens of ${email}.`);
  for (const one of [token, late]) expect(await lookUp(`token=${one}`)).toBe('token_not_found');
  expect(await lookUp(`token=${last}`)).toBe(2);

  // Written by hand without a uid, so only its wallet says whose it is.
  const byHand = randomUUID();
  const fields = { wallet: second, createdAt: new Date() };
  await openEmulators().db.doc(`verificationTokens/${byHand}`).set(fields);
  expect(await lookUp(`token=${byHand}`)).toBe(2);
  const unlinked = await users('unlink-wallet', email, '--revoke-tokens');
  expect(unlinked.stderr).toContain(`Revoked 2 tokens of ${email}.`);
  expect(await lookUp(`token=${byHand}`)).toBe('token_not_found');
  expect(await claimsOf(account)).toEqual({ role: 'editor' });
  expect(await byEmail(email)).toBe('email_not_found');
  expect(await lookUp(`token=${last}`)).toBe('token_not_found');
  expect((await users('unlink-wallet', uid)).stderr).toContain(`${email} had no wallet`);
});

test("another account's wallet is refused, naming that account, unless --shared is given", async () => {
  const wallet = await seedWallet({ attestationType: 0 });
  const [holder, other] = [await verifiedAccount({ wallet }), await verifiedAccount()];
  const refused = await users('link-wallet', other.email, wallet);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain(`${holder.email} already has the wallet; unlink it`);
  expect(await claimsOf(other)).toEqual({});
  const shared = await users('link-wallet', other.email, wallet, '--shared');
  expect(shared.stderr).toContain(`${holder.email} also has this wallet.`);
  expect(await byEmail(other.email)).toBe(1);

  // The tokens of the other holder must not be revoked.
  const own = await seedToken(wallet, { uid: other.uid });
  const theirs = await seedToken(wallet, { uid: holder.uid });
  const moved = await users('link-wallet', other.email, randomWallet(), '--revoke-tokens');
  expect(moved.stderr).toMatch(/^They can create tokens for the old wallet for an hour, until/m);
  expect(await lookUp(`token=${own}`)).toBe('token_not_found');
  expect(await lookUp(`token=${theirs}`)).toBe(1);
});

test('if two accounts get a wallet at the same time, a command fails', async () => {
  const wallet = randomWallet();
  const link = async () => users('link-wallet', (await verifiedAccount()).email, wallet);
  const runs = await Promise.all([link(), link()]);
  expect(
    runs.map(({ status }) => status),
    'exit statuses, of which one must be 1',
  ).toContain(1);
});

test('finds a holder after the first thousand accounts', async () => {
  const { project } = openOwnProject();
  const own = getAuth(initializeApp({ projectId: project }, `${project}-accounts`));
  const wallet = randomWallet();
  const many = Array.from({ length: 999 }, (_, index) => ({ uid: `m${index}` }));
  await own.importUsers([{ uid: 'a', email: 'a@example.com', emailVerified: true }, ...many]);
  await own.createUser({ uid: 'z', email: 'z@example.com' });
  await own.setCustomUserClaims('z', { wallet });
  const words = ['--firebase-project', project, 'users', 'link-wallet', 'a@example.com', wallet];
  const { status, stderr } = await runAdmin(words);
  expect(stderr).toContain('z@example.com already has the wallet');
  expect(status).toBe(1);
});

test('an address of several accounts names nobody', async () => {
  const account = await auth.getUser((await verifiedAccount()).uid);
  // A project may allow this, but the emulator does not.
  const several: Auth = Object.assign(Object.create(auth), {
    getUsers: async () => ({ users: [account, account], notFound: [] }),
  });
  await expect(readAccount(several, 'a@example.com')).rejects.toThrow(
    new RegExp(`^More than one account has the address a@example.com, .* ${account.uid}\\.$`),
  );
  expect(notFoundReason(account, 2)).toBe('another account has the same address');
  expect(notFoundReason(account, 0)).toBe('the account has no e-mail address');
});

describe('no wallet is linked to an account that', () => {
  const wallet = randomWallet();
  test.each<[string, () => Promise<string>, string, number?]>([
    ['does not exist', async () => randomEmail(), 'No account has the address'],
    ['has no such uid', async () => '\u202eydobon', 'address or uid \\u{202e}ydobon. Check it'],
    ['has no valid address', async () => '@example.com', 'is neither an e-mail address nor', 2],
    [
      'is disabled',
      async () => {
        const { email, uid } = await verifiedAccount();
        await auth.updateUser(uid, { disabled: true });
        return email;
      },
      'the account is disabled; enable it first',
    ],
    [
      'has an unconfirmed address',
      async () => (await makeAccount()).email,
      // If they only verified it, they would keep whoever registered their address.
      'ask the person to reset their password',
    ],
    [
      'has too many other claims',
      async () => (await verifiedAccount({ note: 'e'.repeat(950) })).email,
      'should not exceed 1000 characters. This was not done: Give ',
    ],
  ])('%s', async (_, prepare, sentence, status = 1) => {
    const email = await prepare();
    const result = await users('link-wallet', email, wallet);
    expect(result.stderr).toContain(sentence);
    expect(result).toMatchObject({ status, stdout: '' });
    expect(await byEmail(email)).toBe('email_not_found');
  });
});

test('an unconfirmed address is linked with --unverified, and a wallet without attestations with a warning', async () => {
  const { email } = await makeAccount();
  const { status, stderr } = await users('link-wallet', email, randomWallet(), '--unverified');
  expect(stderr).toContain('Check each character.');
  expect(status).toBe(0);
  expect(await byEmail(email)).toBe(0);
});

describe('a concurrent change of the claims', () => {
  const wallet = parseWallet(randomWallet());
  const changed = /^Somebody else changed the claims of .* Look at them with `users show`/;

  test('is detected if it set another wallet', async () => {
    const account = await verifiedAccount();
    const planned = await auth.getUser(account.uid);
    const theirs = { wallet: randomWallet() };
    await auth.setCustomUserClaims(account.uid, theirs);
    await expect(writeWallet(auth, planned, wallet)).rejects.toThrow(changed);
    expect(await claimsOf(account)).toEqual(theirs);
  });

  test('is kept if it set something else', async () => {
    const account = await verifiedAccount();
    const planned = await auth.getUser(account.uid);
    await auth.setCustomUserClaims(account.uid, { role: 'editor' });
    await writeWallet(auth, planned, wallet);
    expect(await claimsOf(account)).toEqual({ role: 'editor', wallet });
  });

  test('is detected if it happens right after the write', async () => {
    const account = await verifiedAccount();
    const racing: Auth = Object.assign(Object.create(auth), {
      async setCustomUserClaims(uid: string, claims: object) {
        await auth.setCustomUserClaims(uid, claims);
        await auth.setCustomUserClaims(uid, { role: 'editor' });
      },
    });
    const planned = await auth.getUser(account.uid);
    await expect(writeWallet(racing, planned, wallet)).rejects.toThrow(changed);
  });
});

test('accounts with a wallet are exported for firebase auth:import, and unverified ones listed', async () => {
  const claims = { wallet: randomWallet(), role: 'editor' };
  const verified = await verifiedAccount(claims);
  await auth.updateUser(verified.uid, { disabled: true });
  const [unverified, without] = [await makeAccount(claims), await makeAccount()];
  const { stdout, stderr } = await users('unverified');
  expect(stderr).toContain('choose "Send the e-mail"');
  expect(stdout).toMatch(new RegExp(`${unverified.uid} +${unverified.email}\n`));
  for (const other of [verified, without]) expect(stdout).not.toContain(other.uid);

  const exported = (await users('export')).stdout;
  expect(JSON.parse(exported).users).toContainEqual({
    localId: verified.uid,
    email: verified.email,
    emailVerified: true,
    disabled: true,
    customAttributes: JSON.stringify(claims),
  });
  expect(exported).not.toContain(without.uid);
});

describe('users forget', () => {
  const remaining = async (wallet: string): Promise<number> =>
    (await db.collection('verificationTokens').where('wallet', '==', wallet).get()).size;

  test('deletes the tokens and the wallet, says what remains, and then deletes late tokens by uid', async () => {
    const wallet = await seedWallet({ attestationType: 0 });
    const { email, uid } = await verifiedAccount({ wallet, role: 'editor' });
    const own = await seedToken(wallet, { uid });
    // Written by hand, and by an account that no longer has the wallet.
    await db
      .collection('verificationTokens')
      .doc(randomUUID())
      .set({ wallet, createdAt: new Date() });
    await seedToken(wallet);
    const first = await users('forget', email);
    expect(first.stdout).toMatch(
      new RegExp(`\naccount +${email} .*\nwallet +${wallet}\n.*\ntokens +3 tokens\n`),
    );
    expect(first.stderr).toContain('Done: delete 3 tokens, remove the wallet.');
    expect(first.stderr).toContain('The account was kept. Add --delete-account');
    // What remains, and for how long.
    for (const what of [
      ...['attestations of the wallet', "a revoked admin's record", "the function's log"],
      ...["Google Cloud's request logs", 'backups, point', 'for at most four weeks'],
      ...['responses that integrators keep', 'your files', 'Public and permanent'],
    ])
      expect(first.stdout).toContain(what);
    expect([await byEmail(email), await lookUp(`token=${own}`)]).toEqual([
      'email_not_found',
      'token_not_found',
    ]);
    expect(await remaining(wallet)).toBe(0);
    expect((await auth.getUser(uid)).customClaims).toEqual({ role: 'editor' });

    const deleted = await users('forget', uid, '--delete-account');
    expect(deleted.stderr).not.toContain('The account was kept');
    await expect(auth.getUser(uid)).rejects.toThrow('no user record');
    const [next = ''] = /users forget .*/.exec(deleted.stderr) ?? [];
    await seedToken(wallet, { uid });
    expect(await runAdmin(next.split(' '))).toMatchObject({ status: 0 });
    expect(await remaining(wallet)).toBe(0);
    const nothing = await users('forget', uid);
    expect(nothing).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('neither an account nor a token'),
    });
  });

  test('keeps the tokens of another account with the wallet, and names it', async () => {
    const wallet = await seedWallet({ attestationType: 0 });
    const [account, holder] = [await makeAccount({ wallet }), await makeAccount({ wallet })];
    const theirs = await seedToken(wallet, { uid: holder.uid });
    const { stderr } = await users('forget', account.email);
    expect(stderr).toContain(`${holder.email} has the same wallet.`);
    expect([await lookUp(`token=${theirs}`), await byEmail(holder.email)]).toEqual([1, 1]);
  });

  test('refuses an active admin, whose rights it does not end', async () => {
    const wallet = randomWallet();
    const { email, uid } = await makeAccount({ wallet });
    await seedAdmin(uid, true, { email });
    const refused = await users('forget', email);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`admins revoke ${email}`),
    });
    expect(await byEmail(email)).toBe(0);
  });
});

describe('users show', () => {
  test('says that lookups find the wallet, and shows the account', async () => {
    const [wallet, uid, email] = [randomWallet(), randomUUID(), randomEmail()];
    await addGoogleAccount(uid, email, { wallet, role: 'editor' });
    await seedToken(wallet, { uid });
    await db.collection('verificationTokens').doc(randomUUID()).set({ uid, wallet });
    // Not the user's own, but it identifies the wallet.
    await seedToken(wallet, { project: 'Acme DAO' });
    const shown = (isVerified: string, unless: string) => `\
FIELD              VALUE
e-mail             ${email}
uid                ${uid}
sign-in methods    google.com
created            2026-11-20T09:00:00.000Z
last sign-in       2026-11-21T10:00:00.000Z
address verified   ${isVerified}
disabled           no
wallet             ${wallet}
lookups by e-mail  find the wallet${unless}
valid tokens       2 (1 only for Acme DAO)
other claims       role
`;
    const unless = ', unless LOOKUP_VERIFIED_EMAIL_ONLY is true';
    expect((await users('show', email)).stdout).toBe(shown('no', unless));
    await auth.updateUser(uid, { emailVerified: true });
    expect((await users('show', uid)).stdout).toBe(shown('yes', ''));
  });

  const holder = randomWallet();
  test.each<[string, object, string, { disabled?: boolean }]>([
    ['the account has no wallet', {}, '-', {}],
    ['the claim `wallet` is not a valid wallet', { wallet: { a: 7 } }, '{"a":7}', {}],
    ['the account is disabled', { wallet: holder }, holder, { disabled: true }],
  ])('says why lookups find no wallet: %s', async (reason, claims, shown, change) => {
    const { uid, email } = await makeAccount(claims);
    await auth.updateUser(uid, change);
    const { stdout } = await users('show', email);
    expect(stdout).toContain(`404: ${reason}\n`);
    expect(/^wallet +(.*)$/m.exec(stdout)?.[1]).toBe(shown);
    expect(stdout).toMatch(/\naddress verified +no\n/);
    expect(await byEmail(email)).toBe('email_not_found');
  });
});
