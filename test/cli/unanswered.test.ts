// Tests commands whose requests reach Google, but whose replies do not arrive.

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { createGrpcCalls, type GrpcCalls } from '../doubles/grpcCalls.ts';
import { makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import { addGoogleAccount, runAdmin } from './adminCommand.ts';

const { auth, db } = openEmulators();
/** Long enough for each other request of a command. */
const LIMITS = { deadlineMs: 3_000 };

let grpc: GrpcCalls;
let close: () => void;

// Loads Firestore's client, which takes seconds on a busy machine, before a command's time limit runs.
beforeAll(() => idsOf(''));

/** Stands between the command line and the Firestore emulator. */
beforeEach(async () => {
  grpc = createGrpcCalls(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
  const server = createServer((socket) => grpc.accept(socket.on('error', () => undefined)));
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', `127.0.0.1:${await listen(server)}`);
  close = () => void server.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  grpc.close();
  close();
});

/** @returns the ids of the project's keys, which the emulator has stored in spite of the lost reply */
async function idsOf(project: string): Promise<string[]> {
  const { docs } = await db.collection('apiKeys').where('project', '==', project).get();
  return docs.map(({ id }) => id.slice(0, 12));
}

const UNKNOWN_KEY =
  /It is not known whether this was done: Create the key (\w{12}) for .*\. .*keys revoke \1/;

test('a key whose reply was lost is named, with the command that revokes it', async () => {
  grpc.failAll('Commit', 'ended');
  const project = `Acme-${randomUUID()}`;
  const create = `keys create --project ${project} --modes token`.split(' ');
  const { status, stdout, stderr } = await runAdmin(create);
  expect(stderr).toMatch(UNKNOWN_KEY);
  expect([UNKNOWN_KEY.exec(stderr)?.[1]]).toEqual(await idsOf(project));
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});

const hash = randomBytes(32).toString('hex');
const uid = randomUUID();
/** What a line of the next test stands for. */
const VALUES = {
  EMAIL: `kim-${uid}@example.com`,
  UID: uid,
  ID: hash.slice(0, 12),
  WALLET: randomWallet(),
  TOKEN: randomUUID(),
};
const ACCOUNT =
  'EMAIL (uid UID, created 2026-11-20 09:00, last signed in 2026-11-21 10:00, signs in by google.com)';

beforeAll(async () => {
  const { ID, EMAIL: email, WALLET: wallet, TOKEN } = VALUES;
  await addGoogleAccount(uid, email, { wallet });
  const key = { active: true, project: 'Acme', contact: 'a@b.example', hint: 'wxyz' };
  await db.doc(`apiKeys/${hash}`).set(key);
  const asOf = new Date('2026-11-28T21:00:00Z');
  const use = { lookups: 1_204, refused: 0, lastUsedOn: '2026-11-27', asOf };
  await db.doc(`keyUse/${ID}`).set(use);
  await seedAdmin(`${uid}-2`, true, { email: `2${email}` });
  await db.doc(`verificationTokens/${TOKEN}`).set(newTokenRecord(wallet, uid, new Date()));
});

// The same words are the question in production.
test.each([
  [
    'keys create --project A --modes token',
    'Create the key NEW for "A" (lookups only by token, ends NEW UTC)',
  ],
  [
    'keys change ID --modes token --reads-per-second 9',
    'Change the key ID of "Acme" from (contact a@b.example, all lookups) to (contact a@b.example, lookups only by token, 9 reads a second)',
  ],
  ['keys rotate ID', 'Create the key NEW for "Acme" (contact a@b.example, all lookups)'],
  [
    'keys revoke ID',
    'Revoke the key ID that ends in wxyz of "Acme" (last used 27 Nov, 1,204 lookups in 30 days, as of 2026-11-28 21:00 UTC)',
  ],
  [
    'admins grant EMAIL --unverified --sign-in google.com',
    `Let ${ACCOUNT} manage API keys, signed in by google.com only`,
  ],
  ['admins revoke 2EMAIL', 'Revoke the admin 2EMAIL'],
  ['status notice Late', 'Show the notice "Late"'],
  ['status notice', 'Remove the notice'],
  ['tokens revoke TOKEN', 'Revoke this token'],
  ['tokens revoke --wallet WALLET', 'Revoke all tokens of the wallet WALLET'],
  ['tokens revoke --uid UID', 'Revoke all tokens of the user UID'],
  [
    'users forget EMAIL --delete-account',
    'Forget EMAIL (delete 1 token, remove the wallet, delete the account)',
  ],
])('a change that Firestore refuses is named as not done: %s', async (line, what) => {
  for (const method of ['Commit', 'BatchWrite']) grpc.failAll(method, 'refused');
  const named = Object.entries(VALUES);
  const words = named.reduce((text, [name, value]) => text.replace(name, value), line).split(' ');
  const { status, stderr } = await runAdmin(words);
  const shown = named
    .reduce((text, [name, value]) => text.replaceAll(value, name), stderr)
    .replace(/(?<=Create the key )\w{12}|(?<=ends )20\S+ \S+/g, 'NEW');
  expect(shown).toMatch(/^PERMISSION_DENIED: /m);
  expect(shown).toContain(` This was not done: ${what}.\n`);
  expect(status).toBe(1);
  if (!line.startsWith('users forget')) return;
  // Before the tokens, which may be too many.
  expect((await auth.getUser(uid)).customClaims).toEqual({});
});

test('a wallet is removed before its tokens, so that a flood of them cannot keep it', async () => {
  const wallet = randomWallet();
  const { email, uid } = await makeAccount({ wallet });
  const writer = db.bulkWriter();
  const records = db.collection('verificationTokens');
  // More than two pages.
  for (let made = 0; made < 1_100; made += 1) {
    void writer.create(records.doc(randomUUID()), newTokenRecord(wallet, uid, new Date()));
  }
  await writer.close();
  const left = async () => {
    const live = records.where('uid', '==', uid).where('revoked', '==', false);
    return (await live.count().get()).data().count;
  };

  grpc.failAll('BatchWrite', 'silent');
  const unlink = ['users', 'unlink-wallet', email, '--revoke-tokens'];
  const { status, stderr } = await runAdmin(unlink, LIMITS);
  expect(stderr).toContain(`${email} no longer has a wallet.`);
  expect(stderr).toContain(
    `3 seconds. It is not known whether this was done: Revoke the tokens of ${email}. Run the`,
  );
  expect(status).toBe(1);
  expect((await auth.getUser(uid)).customClaims).toEqual({});
  // The first 500 were revoked, but the reply was lost.
  await expect.poll(left).toBe(600);

  vi.unstubAllEnvs();
  const again = await runAdmin(unlink);
  expect(again.stderr).toContain(`Revoked 600 tokens of ${email}.`);
  expect(await left()).toBe(0);
});

test.each([
  ['silent', LIMITS, 'Google has not responded for 3 seconds.', ''],
  // Firestore's client tries again for seconds.
  ['refused', {}, 'Firestore could not be read. PERMISSION_DENIED', '"code":"mirror"'],
] as const)('an audit was not completed if Firestore is %s', async (fault, limits, says, code) => {
  grpc.failAll('RunAggregationQuery', fault);
  const options = `--json --rpc http://127.0.0.1:1 --program ${randomWallet()}`;
  const words = ['attestations', 'audit', ...options.split(' ')];
  const { status, stdout, stderr } = await runAdmin(words, limits);
  expect(stderr).toContain(says);
  expect(stdout).toContain(code);
  // 1 would mean that the audit has findings.
  expect(status).toBe(3);
});
