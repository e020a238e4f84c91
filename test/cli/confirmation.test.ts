// Tests that a command changes a production project only after a confirmation. The compiler refuses a change without
// one. A terminal is needed for the question, and the double of Google's servers forwards to the emulators.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { ACCOUNT, createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';
import { randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { MAIN, TIME_LIMIT_MS, USER_CREDENTIALS } from './adminCommand.ts';

const project = `poh-${randomUUID().slice(0, 8)}`;
const app = initializeApp({ projectId: project }, project);
const [db, auth] = [getFirestore(app), getAuth(app)];
const credentials = join(temporaryFolder(), 'user.json');

const hash = hashApiKey(`key-${randomUUID()}`);
const user = 'alice@example.com';
let google: GoogleCloud;

beforeAll(async () => {
  google = await createGoogleCloud();
  writeFileSync(credentials, JSON.stringify(USER_CREDENTIALS), { mode: 0o600 });
  const { uid } = await auth.createUser({
    email: user,
    emailVerified: true,
    password: 'a-password',
  });
  await auth.setCustomUserClaims(uid, { wallet: 'old' });
  await db.doc(`apiKeys/${hash}`).set({ active: true, project: 'Acme' });
});
afterAll(() => google.close());

/** Runs a command on a terminal of its own, and types an answer to each question. @returns what the terminal shows */
async function answering(answers: string[], words: readonly string[]) {
  const terminal =
    'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  const command = [process.execPath, MAIN, '--firebase-project', project, ...words];
  const child = spawn('python3', ['-c', terminal, ...command], {
    timeout: TIME_LIMIT_MS,
    env: {
      ...process.env,
      ...google.env,
      K_SERVICE: undefined,
      GOOGLE_APPLICATION_CREDENTIALS: credentials,
    },
  });
  const closed = once(child, 'close');
  child.stdout.on('data', (shown) => {
    if (String(shown).includes('[y/N] ')) child.stdin.write(`${answers.shift()}\n`);
  });
  const shown = await text(child.stdout);
  const [status] = await closed;
  return { status, shown };
}

/** All that the commands may change. */
async function stored() {
  const names = ['apiKeys', 'admins'];
  const lists = await Promise.all(names.map((name) => db.collection(name).get()));
  const { users } = await auth.listUsers();
  return {
    records: lists.flatMap(({ docs }) => docs.map((one) => [one.id, one.data()])),
    claims: users.map(({ uid, customClaims }) => [uid, customClaims]),
  };
}

test.each([
  ['keys revoke', 'Revoke the key', keyId(hash)],
  [
    'users link-wallet',
    `Give ${user} \\(uid \\S+, created 20\\S+ \\S+, last signed in 20\\S+ \\S+, signs in by password\\) the wallet \\S+, with 0 attestations, in place of old in`,
    user,
    randomWallet(),
  ],
  ['admins grant', `Let ${user} \\(uid \\S+, created 20.* manage API keys`, user],
])('without a confirmation, `%s` changes nothing', async (command, question, ...rest) => {
  const before = await stored();
  const { status, shown } = await answering(['n'], [...command.split(' '), ...rest]);
  expect(shown).toMatch(new RegExp(question));
  expect(shown).toContain(`in production (${project})? [y/N] `);
  expect(shown).toContain('Nothing was changed.');
  expect(status).toBe(1);
  expect(await stored()).toEqual(before);
});

test('with a confirmation, the record names the account of the credentials', async () => {
  const { status } = await answering(['y'], ['keys', 'revoke', keyId(hash)]);
  expect(status).toBe(0);
  expect((await db.doc(`apiKeys/${hash}`).get()).get('revokedBy')).toBe(ACCOUNT);
});

test('after a second question that is not confirmed, a command says that the first change was done', async () => {
  const { status, shown } = await answering(
    ['y', 'n'],
    ['users', 'unlink-wallet', user, '--revoke-tokens'],
  );
  expect(shown).toContain(`\nThis was done: Remove the wallet of ${user} (uid `);
  expect(status).toBe(1);
});
