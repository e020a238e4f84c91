// Giving users their wallets, moving and taking them, and forgetting users, against the emulators.

import { randomUUID } from 'node:crypto';
import type { Auth } from 'firebase-admin/auth';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeWallet } from '../../admin/users/accounts.ts';
import { parseWallet } from '../../records/wallet.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import {
  type Account,
  bool,
  makeAccount,
  SERVER_TIME,
  signIn,
  text,
  type User,
  write,
} from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomEmail, randomWallet, seedAdmin, seedKey, seedWallet } from '../support/seed.ts';
import { runAdmin } from './adminCommand.ts';

const { auth, db } = openEmulators();
const users = (...words: string[]) => runAdmin(['users', ...words]);

let key: string;
beforeAll(async () => {
  key = await seedKey();
});

const lookUp = async (target: string) => {
  const { status, json } = await send(servedUrl, { key, target: `?${target}` });
  return json.code ?? (status === 200 ? json.count : status);
};
const byEmail = (email: string) => lookUp(`email=${encodeURIComponent(email)}`);
const claimsOf = async ({ uid }: Account) => (await auth.getUser(uid)).customClaims;

/** An account whose address is confirmed. */
async function verifiedAccount(claims: object = {}): Promise<Account> {
  const account = await makeAccount(claims);
  await auth.updateUser(account.uid, { emailVerified: true });
  return account;
}

/** Makes a verification token as a user does. */
async function makeToken(user: User, wallet: string): Promise<string> {
  const token = randomUUID();
  const fields = { wallet: text(wallet), uid: text(user.uid), revoked: bool(false) };
  const path = `verificationTokens/${token}`;
  expect(await write(user, path, { ...fields, createdAt: SERVER_TIME })).toBe('OK');
  return token;
}

test('a user is linked, moved to another wallet, and unlinked; other claims stay', async () => {
  const account = await verifiedAccount({ role: 'editor' });
  const { email } = account;
  const [first, second] = [
    await seedWallet({ attestationType: 0 }),
    await seedWallet({ attestationType: 0 }, { attestationType: 1 }),
  ];
  expect(await byEmail(email)).toBe('email_not_found');
  expect(await users('link-wallet', email.toUpperCase(), first)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Linked: 1.'),
  });
  expect(await claimsOf(account)).toEqual({ role: 'editor', wallet: first });
  expect(await byEmail(email)).toBe(1);

  const user = await signIn(account);
  const token = await makeToken(user, first);
  const moved = await users('link-wallet', email, second);
  expect(moved.stdout).toMatch(new RegExp(`^TOKEN .*\n${token}  valid +${user.uid}\n$`));
  expect(moved.stderr).toContain('Tokens of the old wallet that can still be looked up: 1.');
  expect(moved.stderr).toContain('keep the old wallet for up to an hour');
  expect(await claimsOf(account)).toEqual({ role: 'editor', wallet: second });
  expect([await byEmail(email), await lookUp(`token=${token}`)]).toEqual([2, 1]);

  // Within its hour the old ID token still makes tokens of the old wallet.
  const late = await makeToken(user, first);
  const again = await users('link-wallet', email, second, '--revoke-tokens');
  expect(again.stderr).toContain('has this wallet already');
  expect(again.stderr).toContain('Tokens of the old wallet that are revoked now: 2.');
  for (const one of [token, late]) expect(await lookUp(`token=${one}`)).toBe('token_not_found');

  const last = await makeToken(await signIn(account), second);
  expect((await users('unlink-wallet', email, '--revoke-tokens')).status).toBe(0);
  expect(await claimsOf(account)).toEqual({ role: 'editor' });
  expect([await byEmail(email), await lookUp(`token=${last}`)]).toEqual([
    'email_not_found',
    'token_not_found',
  ]);
  expect((await users('unlink-wallet', email)).stderr).toContain('had no wallet');
});

test('a wallet that another account has is named and refused, unless it may be shared', async () => {
  const wallet = await seedWallet({ attestationType: 0 });
  const [holder, other] = [await verifiedAccount({ wallet }), await verifiedAccount()];
  const refused = await users('link-wallet', other.email, wallet);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain(`the wallet is already that of ${holder.email}: move them`);
  expect(await claimsOf(other)).toEqual({});
  const shared = await users('link-wallet', other.email, wallet, '--shared');
  expect(shared.stderr).toContain(`${holder.email} has this wallet too.`);
  expect(await byEmail(other.email)).toBe(1);

  // The other holder's own tokens are not those of the one who leaves.
  const [own, theirs] = [
    await makeToken(await signIn(other), wallet),
    await makeToken(await signIn(holder), wallet),
  ];
  await users('link-wallet', other.email, randomWallet(), '--revoke-tokens');
  expect([await lookUp(`token=${own}`), await lookUp(`token=${theirs}`)]).toEqual([
    'token_not_found',
    1,
  ]);
});

test('tokens that an admin has issued for the old wallet are revoked too', async () => {
  const wallet = await seedWallet({ attestationType: 0 });
  const { email } = await verifiedAccount({ wallet });
  const { stdout: token } = await runAdmin(['tokens', 'issue', '--wallet', wallet]);
  await users('unlink-wallet', email, '--revoke-tokens');
  expect(await lookUp(`token=${token}`)).toBe('token_not_found');
});

describe('an account that gets no wallet', () => {
  const wallet = randomWallet();
  test.each<[string, () => Promise<string>, string[], number, string]>([
    ['does not exist', async () => randomEmail(), [], 1, 'No account has the address'],
    ['has no address', async () => 'nobody', [], 2, 'is not an e-mail address'],
    [
      'is disabled',
      async () => {
        const { email, uid } = await verifiedAccount();
        await auth.updateUser(uid, { disabled: true });
        return email;
      },
      [],
      1,
      'the account is disabled: enable it first',
    ],
    [
      'has an address that nobody confirmed',
      async () => (await makeAccount()).email,
      [],
      1,
      'nobody has confirmed that the address is theirs',
    ],
    [
      'has too many other claims',
      async () => (await verifiedAccount({ note: 'é'.repeat(480) })).email,
      [],
      1,
      'bytes, and Authentication takes 1000: shorten the others',
    ],
  ])('%s', async (_, prepare, flags, status, sentence) => {
    const email = await prepare();
    const result = await users('link-wallet', email, wallet, ...flags);
    expect(result.stderr).toContain(sentence);
    expect(result).toMatchObject({ status, stdout: '' });
    expect(await byEmail(email)).toBe('email_not_found');
  });

  test('what is no wallet is a usage error, and not repeated', async () => {
    const result = await users('link-wallet', randomEmail(), 'a-secret-pasted-here');
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).not.toContain('a-secret-pasted-here');
  });

  test('an address that the admin knows is linked without its confirmation', async () => {
    const { email } = await makeAccount();
    expect((await users('link-wallet', email, wallet, '--unverified')).status).toBe(0);
    expect(await byEmail(email)).toBe(0);
  });
});

describe('somebody else who changes the claims meanwhile', () => {
  const wallet = parseWallet(randomWallet());
  const changed = /^Somebody else has changed the claims of .* look at them with `users show`/;

  test('is found when they gave another wallet', async () => {
    const account = await verifiedAccount();
    const planned = await auth.getUser(account.uid);
    const theirs = { wallet: randomWallet() };
    await auth.setCustomUserClaims(account.uid, theirs);
    await expect(writeWallet(auth, planned, wallet)).rejects.toThrow(changed);
    expect(await claimsOf(account)).toEqual(theirs);
  });

  test('is found when they wrote right after', async () => {
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

describe('users show', () => {
  test('shows the account, and that lookups find its wallet', async () => {
    const wallet = randomWallet();
    const account = await verifiedAccount({ wallet, role: 'editor' });
    await makeToken(await signIn(account), wallet);
    const { stdout } = await users('show', account.email);
    expect(stdout).toMatch(/\nlookups by e-mail +find the wallet\n/);
    for (const shown of [wallet, account.uid, 'role']) expect(stdout).toContain(shown);
    expect(stdout).not.toContain('editor');
    expect(JSON.parse((await users('show', account.email, '--json')).stdout)).toMatchObject({
      wallet,
      notFoundBecause: null,
      emailVerified: true,
      liveTokens: 1,
      otherClaims: ['role'],
    });
  });

  test.each<[string, object, { disabled?: boolean }]>([
    ['the account has no wallet', {}, {}],
    ['the claim `wallet` is not a wallet', { wallet: 7 }, {}],
    ['the account is disabled', { wallet: randomWallet() }, { disabled: true }],
  ])('says why lookups find none: %s', async (reason, claims, change) => {
    const { uid, email } = await verifiedAccount(claims);
    await auth.updateUser(uid, change);
    expect((await users('show', email)).stdout).toContain(`404: ${reason}\n`);
    expect(await byEmail(email)).toBe('email_not_found');
  });
});

describe('users forget', () => {
  async function prepare() {
    const wallet = await seedWallet({ attestationType: 0 });
    const account = await verifiedAccount({ wallet, role: 'editor' });
    const token = await makeToken(await signIn(account), wallet);
    const { stdout: issued } = await runAdmin(['tokens', 'issue', '--wallet', wallet]);
    return { wallet, account, tokens: [token, issued] };
  }
  const exist = async (tokens: readonly string[]) =>
    (await db.getAll(...tokens.map((token) => db.doc(`verificationTokens/${token}`)))).map(
      ({ exists }) => exists,
    );

  test('lists what there is and what becomes of it, and changes nothing', async () => {
    const { wallet, account, tokens } = await prepare();
    await seedAdmin(account.uid, false, account.email);
    await db.doc(`apiKeys/${randomUUID()}`).set({ active: false, contact: account.email });
    const { status, stdout, stderr } = await users('forget', account.email);
    expect(stdout).toMatch(
      /\n1 +wallet of the account +deleted\n2 +verification tokens +deleted\n/,
    );
    expect(stdout).toMatch(/\n1 +account in Authentication +kept, unless --delete-account/);
    expect(stdout).toMatch(/\n1 +attestations of the wallet +kept: /);
    expect(stdout).toMatch(/\n1 +admin record +kept: .*\n1 +API keys that name them +kept: /);
    for (const kept of ['the chain', 'backups', 'request logs', 'evidence']) {
      expect(stderr).toContain(kept);
    }
    expect(stderr).toContain('Nothing was changed: add --apply.');
    expect(status).toBe(0);
    expect(await claimsOf(account)).toEqual({ role: 'editor', wallet });
    expect(await exist(tokens)).toEqual([true, true]);
  });

  test('deletes the wallet and the tokens, and nothing of anybody else', async () => {
    const { wallet, account, tokens } = await prepare();
    const neighbour = await verifiedAccount({ wallet });
    const theirs = await makeToken(await signIn(neighbour), wallet);
    const { status, stderr } = await users('forget', account.email, '--apply');
    expect(stderr).toContain(`Deleted the wallet and tokens of ${account.email}`);
    expect(stderr).toContain('After an hour, run this again, which deletes those.');
    expect(status).toBe(0);
    expect(await claimsOf(account)).toEqual({ role: 'editor' });
    // Whose the issued one is, nobody knows while both have the wallet.
    expect(await exist([...tokens, theirs])).toEqual([false, true, true]);
    expect([await byEmail(account.email), await byEmail(neighbour.email)]).toEqual([
      'email_not_found',
      1,
    ]);
    expect((await users('forget', account.email, '--apply')).status).toBe(0);
  });

  test('deletes the account too where that is asked for', async () => {
    const { account, tokens } = await prepare();
    const { stderr } = await users('forget', account.email, '--apply', '--delete-account');
    expect(stderr).toContain(`run \`tokens revoke --uid ${account.uid}\``);
    await expect(auth.getUser(account.uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
    expect(await exist(tokens)).toEqual([false, false]);
  });

  test('does not forget somebody who is an admin', async () => {
    const { account, tokens } = await prepare();
    await seedAdmin(account.uid, true, account.email);
    const { status, stderr } = await users('forget', account.email, '--apply');
    expect(stderr).toContain(`run \`admins revoke ${account.email}\` first`);
    expect(status).toBe(1);
    expect(await exist(tokens)).toEqual([true, true]);
  });
});
