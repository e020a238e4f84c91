// Runs the hourly job as its container does, with only Node and the bundled command line.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { USAGE } from '../../cli/terminal/failure.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import { DEMONSTRATION_PROGRAM } from '../../contract/examples.ts';
import { runProgram as runTool } from '../../deploy/google.ts';
import { prepareImage } from '../../deploy/main.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { PLANTED_UNMIRRORED, plantFindings } from '../audit/plants.ts';
import { runProgram } from '../guide/samples.ts';
import { openOwnProject, randomEmail, randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { textOf } from './repository.ts';
import { PROJECT, runOn, SETTINGS, StandIn } from './standIn.ts';

const { before } = parse(textOf('deploy/project.yaml'), { merge: true });
const job = before.find(({ what }: { what: string }) => what === 'the scheduled job').want.template
  .template.containers[0];

const { folders } = new StandIn(SETTINGS);
const { imageFolder: app } = await prepareImage(
  { folders, run: runTool(() => undefined) },
  PROJECT,
);

/** Runs the job's command with only the job's environment. @returns the lines that it logs too, without other text */
async function runJob(env: Record<string, string>) {
  const variables = Object.entries({
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    COPIES: temporaryFolder(),
    FIRESTORE_EMULATOR_HOST: process.env['FIRESTORE_EMULATOR_HOST'],
    FIREBASE_AUTH_EMULATOR_HOST: process.env['FIREBASE_AUTH_EMULATOR_HOST'],
    // Of the test, because each command is a process that loads the same file.
    NODE_COMPILE_CACHE: join(app, 'cache'),
    ...env,
  }).map(([name, value]) => `${name}=${value}`);
  const words: string[] = job.args.map((word: string) => word.replace(/^\/app\b/, app));
  const all = ['-i', ...variables, ...job.command, ...words];
  const outcome = await runProgram('env', all, { cwd: app });
  const lines = outcome.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { ...outcome, lines };
}

test('the image has what the check of the project reads', async () => {
  const options = { cwd: app, env: { GOOGLE_CLOUD_PROJECT: PROJECT } };
  const script = readFileSync(join(app, 'hourly.sh'), 'utf8');
  const [, file = ''] = /"\$\(dirname "\$0"\)\/(\S+check\.mjs)"/.exec(script) ?? [];
  const { stderr } = await runProgram(process.execPath, [file], options);
  // It has read the settings and the table, and asks for a token.
  expect(stderr).toBe('There is no metadata server. Run this in the scheduled job.\n');
});

test('the check logs what carries the security and has changed, of what is made before and after the code', async () => {
  const cloud = new StandIn(SETTINGS);
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  const server = createServer(async (request, response) => {
    const url = decodeURIComponent(request.url?.slice(1) ?? '');
    const { method = '' } = request;
    // Without this header, Google's metadata server refuses.
    const reply = request.headers['metadata-flavor']
      ? Response.json({ access_token: 'token' })
      : await cloud.fetch(url, { method });
    response.writeHead(reply.status).end(await reply.text());
  });
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${await listen(server)}/`;
  const send = `const { fetch } = globalThis; globalThis.fetch = (url, { method, headers }) =>
    fetch(${JSON.stringify(origin)} + encodeURIComponent(url), { method, headers });`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(send)}`];
  const check = async () => {
    const options = { cwd: app, env: { GOOGLE_CLOUD_PROJECT: PROJECT } };
    const program = [...words, 'deploy/check.mjs'];
    const { stdout, stderr } = await runProgram(process.execPath, program, options);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  expect(await check()).toMatchObject({ severity: 'INFO', message: 'drift', found: 0 });
  cloud.set('firestore/v1/databases/(default)', { deleteProtectionState: 'OFF' });
  cloud.set('logging/v2/sinks/_Default', { exclusions: [] });
  expect(await check()).toMatchObject({
    severity: 'WARNING',
    differences: [expect.stringMatching(/^the database/), expect.stringMatching(/^the exclusion/)],
  });
});

/** What the alerts and the metrics need of a line. */
const essence = ({ message, state, step, complete }: Record<string, unknown>) =>
  [message, state ?? step ?? complete ?? ''].join(' ').trim();

test('every hour it logs the state of the mirror, and once a day an audit, without wallets', async () => {
  await using chain = await TestChain.start();
  const { project, db } = openOwnProject();
  await plantFindings(db, chain);
  const COPIES = temporaryFolder();
  const env = {
    COPIES,
    GOOGLE_CLOUD_PROJECT: project,
    RPC_URL: chain.url,
    PROGRAM: DEMONSTRATION_PROGRAM,
  };
  const { status, stdout, stderr, lines } = await runJob(env);
  const { docs } = await db.collection('attestations').get();
  const state = await db.doc('status/mirror').get();
  await db.terminate();
  expect(lines.map(essence), stderr).toEqual(['audit true', 'mirror findings', 'keys checked']);
  expect(lines[0]).toMatchObject({
    documents: docs.length,
    findings: { missing_in_mirror: PLANTED_UNMIRRORED },
  });
  expect(state.data()).toMatchObject({ findings: lines[0].found });
  const wallets = docs.flatMap((document) => document.get('wallet') || []);
  expect(wallets).not.toEqual([]);
  expect(wallets.filter((wallet) => (stdout + stderr).includes(wallet))).toEqual([]);
  expect(status).toBe(0);

  expect(await runJob(env)).toMatchObject({
    status: 0,
    lines: [{ message: 'mirror', state: 'ok' }],
  });
  // A day later.
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  for (const file of readdirSync(COPIES))
    renameSync(join(COPIES, file), join(COPIES, `${yesterday}${file.slice(10)}`));
  expect((await runJob(env)).lines.map(essence)).toEqual([
    'audit true',
    'mirror ok',
    'keys checked',
  ]);
  expect(readdirSync(COPIES)).toHaveLength(10);
});

test('a step that fails is logged, keeps no other from running, and fails the job', async () => {
  await using chain = await TestChain.start();
  const env = {
    GOOGLE_CLOUD_PROJECT: `demo-${randomUUID()}`,
    RPC_URL: chain.url,
    PROGRAM: DEMONSTRATION_PROGRAM,
  };
  const empty = await runJob(env);
  expect(empty.lines).toMatchObject([
    { complete: false, failure: { code: 'empty_mirror' } },
    { severity: 'ERROR', message: 'step failed', step: 'audit', exitStatus: 1 },
    { message: 'mirror', state: 'empty' },
    { message: 'keys checked' },
  ]);
  expect(empty.status).toBe(1);
  const canary = { CANARY_KEY: 'unknown', CANARY_URL: chain.url, CANARY_WALLET: randomWallet() };
  const unwritable = await runJob({ ...env, ...canary, PROGRAM: '', COPIES: '/nonexistent' });
  expect(unwritable.lines.map(essence)).toEqual([
    'step failed accounts',
    'step failed keys',
    'step failed admins',
    'mirror empty',
    'keys checked',
    'step failed keyCheck',
    'step failed canary',
  ]);
  expect(unwritable.lines.map(({ exitStatus }) => exitStatus)).not.toContain(USAGE);
  expect(unwritable.status).toBe(1);
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
  await db.collection('admins').doc(uid).set({ active: false, email });
  const copies = temporaryFolder();
  const { status, stderr } = await runJob({
    COPIES: copies,
    GOOGLE_CLOUD_PROJECT: project,
    PROGRAM: '',
  });
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
  expect(JSON.parse(copyOf('admins'))).toMatchObject([{ uid, active: false }]);
  await db.terminate();
});
