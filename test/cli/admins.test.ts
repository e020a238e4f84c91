// Tests `admins` against the emulators.

import { randomUUID } from 'node:crypto';
import { Timestamp } from 'firebase-admin/firestore';
import { expect, test } from 'vitest';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { makeAccount, signIn } from '../support/client.ts';
import { randomEmail, seedAdmin } from '../support/seed.ts';
import { expectOk, runAdmin } from './adminCommand.ts';

const { auth, db } = openEmulators();

const admins = (...words: string[]) => runAdmin(['admins', ...words]);
const stored = async (uid: string) => (await db.doc(`admins/${uid}`).get()).data();

/** Adds an account as the Firebase console does. Other accounts of the emulator have signed in when they were created. */
async function addUser() {
  const [uid, email] = [randomUUID(), randomEmail()];
  await auth.importUsers([{ uid, email }]);
  return { uid, email };
}

async function listed(uid: string): Promise<Record<string, unknown> | undefined> {
  const all: Record<string, unknown>[] = JSON.parse(expectOk(await admins('list', '--json')));
  const names = all.map((admin) => String(admin['email'] ?? admin['uid']));
  expect(names).toEqual(names.toSorted());
  return all.find((admin) => admin['uid'] === uid);
}

test('an admin is granted, listed, revoked, and granted again', async () => {
  const { uid, email } = await addUser();
  expect(await admins('grant', email)).toMatchObject({ status: 0, stdout: '' });
  const record = await stored(uid);
  expect(record).toStrictEqual({ active: true, email, grantedAt: expect.anything() });
  expect(await listed(uid)).toStrictEqual({
    uid,
    email,
    active: true,
    grantedAt: expect.stringMatching(/Z$/),
    signIn: null,
  });

  const again = await admins('grant', email);
  expect(again.stderr).toContain('was already an admin.');
  expect(await stored(uid)).toStrictEqual(record);

  expect(await admins('revoke', email)).toMatchObject({ status: 0, stdout: '' });
  expect(await stored(uid)).toStrictEqual({ ...record, active: false });
  expect((await admins('revoke', email)).stderr).toContain('was already revoked');

  await admins('grant', email.toUpperCase());
  expect(await stored(uid)).toMatchObject({ active: true, email });
});

test('the sign-in that an admin must use can be changed, and stays when they are granted again', async () => {
  const { uid, email } = await addUser();
  const granted = await admins('grant', email, '--sign-in', 'google.com');
  expect(granted.stderr).toContain(`${email} has the rights only after a sign-in by google.com.`);
  await admins('revoke', email);
  await admins('grant', email);
  expect(await stored(uid)).toMatchObject({ active: true, signIn: 'google.com' });
  await admins('grant', email, '--sign-in', 'saml.acme');
  expect((await admins('list')).stdout).toMatch(
    new RegExp(`^${uid} +yes +saml\\.acme +20\\S+ \\d\\d:\\d\\d +${email}$`, 'm'),
  );
  await admins('grant', email, '--sign-in', 'any');
  expect(await stored(uid)).toStrictEqual({ active: true, email, grantedAt: expect.anything() });
});

test('an admin whose account was deleted is revoked by their address in any case', async () => {
  const { uid, email } = await addUser();
  await admins('grant', email);
  await auth.deleteUser(uid);
  expect(await admins('revoke', email.toUpperCase())).toMatchObject({ status: 0 });
  expect(await stored(uid)).toMatchObject({ active: false });
});

test('a grant of an admin whose record was written by hand adds its address and its time', async () => {
  const { uid, email } = await addUser();
  for (const old of [undefined, randomEmail()]) {
    await seedAdmin(uid, true, { email: old });
    expect((await admins('grant', email)).stderr).toContain('from their next sign-in on');
    const record = { active: true, email, grantedAt: expect.anything() };
    expect(await stored(uid)).toStrictEqual(record);
  }
  const grantedAt = new Date();
  await seedAdmin(uid, true, { email: randomEmail(), grantedAt });
  await admins('grant', email);
  expect(await stored(uid)).toMatchObject({ email, grantedAt: Timestamp.fromDate(grantedAt) });
});

test('an unverified address whose account somebody has signed in to is refused', async () => {
  // A stranger may have signed up with it before the person did.
  const stranger = await makeAccount();
  const { email, uid } = stranger;
  await signIn(stranger);
  const refused = await admins('grant', email);
  expect(refused.stderr).toContain(`The address ${email} is not verified, and somebody has signed`);
  // If they only verified it, they would make a stranger's account an admin.
  expect(refused.stderr).toContain('reset their password');
  expect(refused.status).toBe(1);
  expect(await stored(uid)).toBeUndefined();
  expect((await admins('grant', email, '--unverified')).status).toBe(0);
  expect(await stored(uid)).toMatchObject({ active: true });

  const verified = await makeAccount();
  await auth.updateUser(verified.uid, { emailVerified: true });
  expect((await admins('grant', verified.email)).status).toBe(0);
});

test.each<readonly [string, string, (email: string) => Promise<unknown>, string]>([
  ['grant', 'without an account', async () => {}, 'add the account (Firebase console'],
  [
    'grant',
    'whose account is disabled',
    (email) => auth.createUser({ email, disabled: true }),
    'Enable it first',
  ],
  [
    'revoke',
    'who was never an admin',
    (email) => auth.createUser({ email }),
    'No admin has the address',
  ],
])('%s of a user %s says what to do', async (verb, _, prepare, sentence) => {
  const email = randomEmail();
  await prepare(email);
  const { status, stderr } = await admins(verb, email);
  expect(status).toBe(1);
  expect(stderr).toContain(sentence);
  expect((await db.collection('admins').where('email', '==', email).get()).size).toBe(0);
});

test('an id that is not safe to print is escaped', async () => {
  const uid = `\u202e${randomUUID()}`;
  await seedAdmin(uid);
  const shown = uid.replace('\u202e', '\\u{202e}');
  expect((await admins('revoke', uid)).stderr).toContain(`\n${shown} is no longer an admin`);
  expect((await admins('revoke', uid)).stderr).toContain(`\n${shown} was already revoked`);
});

test('an incomplete record is listed with the fields it has', async () => {
  const [bare, text] = [randomUUID(), randomUUID()];
  await Promise.all([seedAdmin(bare), seedAdmin(text, 'true')]);
  expect(await listed(bare)).toMatchObject({ active: true, email: null, grantedAt: null });
  expect(await listed(text)).toMatchObject({ active: false });
  // The uid of no account is an address.
  const address = randomEmail();
  await seedAdmin(address);
  expect((await admins('list')).stdout).toMatch(new RegExp(`^${address} +no +any +- +-$`, 'm'));
});
