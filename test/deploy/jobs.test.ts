// Runs the daily job as its container does, with only Node and the bundled command line.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEMONSTRATION_PROGRAM } from '../../contract/examples.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { PLANTED_UNMIRRORED, plantFindings } from '../audit/plants.ts';
import { runProgram } from '../guide/samples.ts';
import { openOwnProject, randomEmail, randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT, textOf } from './repository.ts';

const job = parse(textOf('deploy/jobs/poh-audit.yaml'));

const app = temporaryFolder();
const copies = temporaryFolder();
cpSync(`${ROOT}deploy/image`, app, { recursive: true });
execFileSync(process.execPath, ['tools/build.ts', app, '--jobs'], { cwd: ROOT });

/** Runs the job's command with only the job's environment. */
function runJob(env: Record<string, string>) {
  const variables = Object.entries({
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    COPIES: copies,
    FIRESTORE_EMULATOR_HOST: process.env['FIRESTORE_EMULATOR_HOST'],
    FIREBASE_AUTH_EMULATOR_HOST: process.env['FIREBASE_AUTH_EMULATOR_HOST'],
    // Of the test, because each command is a process that loads the same file.
    NODE_COMPILE_CACHE: join(app, 'cache'),
    ...env,
  }).map(([name, value]) => `${name}=${value}`);
  const words: string[] = job['--args'].map((word: string) => word.replace(/^\/app\b/, app));
  return runProgram('env', ['-i', ...variables, ...job['--command'], ...words], { cwd: app });
}

test('the audit logs its summary in one line without wallets, and succeeds despite findings', async () => {
  await using chain = await TestChain.start();
  const { project, db } = openOwnProject();
  await plantFindings(db, chain);
  const { status, stdout, stderr } = await runJob({
    GOOGLE_CLOUD_PROJECT: project,
    RPC_URL: chain.url,
    PROGRAM: DEMONSTRATION_PROGRAM,
  });
  const [keys = '', audit = '', ...rest] = stdout.split('\n');
  expect(rest, stderr).toEqual(['']);
  expect(JSON.parse(keys)).toMatchObject({ message: 'keys checked' });
  const { docs } = await db.collection('attestations').get();
  await db.terminate();
  expect(JSON.parse(audit)).toMatchObject({
    message: 'audit',
    complete: true,
    documents: docs.length,
    findings: { missing_in_mirror: PLANTED_UNMIRRORED },
  });
  const wallets = docs.flatMap((document) => document.get('wallet') || []);
  expect(wallets).not.toEqual([]);
  expect(wallets.filter((wallet) => (stdout + stderr).includes(wallet))).toEqual([]);
  expect(status).toBe(0);
});

test('an audit that could not be completed says why, and fails', async () => {
  await using chain = await TestChain.start();
  const env = { GOOGLE_CLOUD_PROJECT: `demo-${randomUUID()}`, RPC_URL: chain.url };
  const { status, stdout } = await runJob({ ...env, PROGRAM: DEMONSTRATION_PROGRAM });
  const [, audit = ''] = stdout.split('\n');
  expect(JSON.parse(audit)).toMatchObject({ complete: false, failure: { code: 'empty_mirror' } });
  expect(status).toBe(1);
});

/** firebase-tools has no types for this module. */
const { validateUserJson } = createRequire(import.meta.url)(
  'firebase-tools/lib/accountImporter.js',
);

test('the copies restore deleted accounts with their wallets, and list the revoked keys', async () => {
  const { project, db } = openOwnProject();
  const auth = getAuth(initializeApp({ projectId: project }, 'copies'));
  const [email, wallet] = [randomEmail(), randomWallet()];
  const { uid } = await auth.createUser({ email, emailVerified: true, password: 'a password' });
  await auth.setCustomUserClaims(uid, { wallet });
  const key = db.collection('apiKeys').doc(hashApiKey(randomUUID()));
  await key.set({ active: false, project: 'Acme DAO' });
  const { status, stderr } = await runJob({ GOOGLE_CLOUD_PROJECT: project, PROGRAM: '' });
  expect(status, stderr).toBe(0);
  const copyOf = (name: string) => {
    const file = readdirSync(copies).findLast((one) => one.endsWith(`-${name}.json`)) ?? '';
    return readFileSync(join(copies, file), 'utf8');
  };

  const accounts = copyOf('accounts');
  expect(accounts).not.toMatch(/hash|salt|a password/i);
  expect(JSON.parse(accounts).users.map(validateUserJson)).toEqual([{}]);
  await auth.deleteUser(uid);
  const host = `http://${process.env['FIREBASE_AUTH_EMULATOR_HOST']}/identitytoolkit.googleapis.com`;
  await fetch(`${host}/v1/projects/${project}/accounts:batchCreate`, {
    method: 'POST',
    headers: { Authorization: 'Bearer owner', 'Content-Type': 'application/json' },
    body: accounts,
  });
  expect(await auth.getUserByEmail(email)).toMatchObject({ uid, customClaims: { wallet } });

  // `keys.test.ts` revokes keys with such a list.
  expect(JSON.parse(copyOf('keys'))).toMatchObject([{ project: 'Acme DAO', active: false }]);
  await db.terminate();
});
