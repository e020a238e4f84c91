// Tests `keys` against the emulators, and whether the function accepts the keys at each step.

import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bs58check from 'bs58check';
import stringWidth from 'string-width';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeKeys } from '../../cli/keys/records.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { changeKey, createKey, type KeyTransaction, revokeKey } from '../../records/keyChanges.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { openOwnProject, randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { expectOk, MAIN, runAdmin, spawnAdmin, TIME_LIMIT_MS } from './adminCommand.ts';

const { project: firebaseProject, db } = openOwnProject();
const FIREBASE_PROJECT = ['--firebase-project', firebaseProject];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESTORE = readFileSync(`${ROOT}docs/restore.md`, 'utf8');
const home = temporaryFolder();
const served = await serveFunction({ GCLOUD_PROJECT: firebaseProject });
afterAll(() => served.stop());

const keys = (...words: string[]) => runAdmin([...FIREBASE_PROJECT, 'keys', ...words]);

/** Runs a command in a separate process, with `home` as its home folder. */
const spawnKeys = (...words: string[]) =>
  spawnAdmin([...FIREBASE_PROJECT, 'keys', ...words], { HOME: home, TMPDIR: home });

const statusWith = async (key: string): Promise<number> =>
  (await send(served.url, { key, target: `?wallet=${randomWallet()}` })).status;

const ALL = ['--modes', 'wallet', 'email', 'token'];

const storedKey = async (key: string) =>
  (await db.collection('apiKeys').doc(hashApiKey(key)).get()).data();

/** @returns the project's keys from `keys list --json` */
async function listed(project: string): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = JSON.parse(expectOk(await keys('list', '--json')));
  return all.filter((key) => key['project'] === project);
}

/** @returns the files of the repository and of the admin's home that contain the text */
function filesWith(secret: string): string {
  const options = ['-rlF', '--exclude-dir=node_modules', '--exclude-dir=.git', '-f', '-'];
  // Passed on standard input, because a process list shows arguments.
  return spawnSync('grep', [...options, ROOT, home], { input: secret, encoding: 'utf8' }).stdout;
}

async function storedText(): Promise<string> {
  const collections = await db.listCollections();
  const snapshots = await Promise.all(collections.map((collection) => collection.get()));
  return JSON.stringify(snapshots.flatMap(({ docs }) => docs.map((one) => [one.id, one.data()])));
}

test('a key is created, used, listed, rotated, revoked and then refused', async () => {
  const project = `Acme ${randomUUID()}`;
  const contact = ['--contact', 'ops@example.com', '--ends', 'never'];
  const created = await spawnKeys('create', '--project', project, ...ALL, ...contact);
  const key = created.stdout;
  expect(key).toMatch(/^poh_[1-9A-HJ-NP-Za-km-z]{44,50}$/);
  const bytes = new Set(bs58check.decode(key.slice('poh_'.length)));
  expect(bytes.size, 'different bytes of 32 random ones').toBeGreaterThan(16);
  expect(created.stderr).toContain('in the Firestore emulator at');
  expect(await storedKey(key)).toStrictEqual({
    active: true,
    project,
    contact: 'ops@example.com',
    modes: ['wallet', 'email', 'token'],
    hint: key.slice(-4),
    createdAt: expect.objectContaining({ toMillis: expect.any(Function) }),
    createdBy: 'cli',
  });
  expect(await statusWith(key)).toBe(200);

  const id = keyId(hashApiKey(key));
  expect(await listed(project)).toStrictEqual([
    {
      id,
      project,
      contact: 'ops@example.com',
      hint: key.slice(-4),
      active: true,
      state: 'active',
      modes: ['wallet', 'email', 'token'],
      readsPerSecond: null,
      expiresAt: null,
      createdAt: expect.stringMatching(/Z$/),
      createdBy: 'cli',
      revokedAt: null,
      revokedBy: null,
      changedAt: null,
      changedBy: null,
      replacedBy: null,
      use: null,
      faults: [],
    },
  ]);

  // A document written by hand, whose id is not a hash.
  await db.collection('apiKeys').doc(id).set({ active: true, project });
  const rotated = await keys('rotate', id);
  await db.collection('apiKeys').doc(id).delete();
  const successor = rotated.stdout;
  expect(rotated.stderr).toContain(
    `npm run -s admin -- keys revoke ${id} ${FIREBASE_PROJECT.join(' ')}\n`,
  );
  expect(await Promise.all([key, successor].map(statusWith))).toEqual([200, 200]);

  expect(await storedKey(successor)).toMatchObject({ project, contact: 'ops@example.com' });

  const revoked = await spawnKeys('revoke', id);
  expect(revoked).toMatchObject({ status: 0, stdout: '' });
  expect(await Promise.all([key, successor].map(statusWith))).toEqual([401, 200]);

  const after = await storedKey(key);
  const again = await keys('revoke', id);
  expect(again).toMatchObject({ status: 0, stdout: '' });
  expect(again.stderr).toContain('was already revoked');
  expect(await storedKey(key)).toStrictEqual(after);
  const time = expect.stringMatching(/Z$/);
  expect(await listed(project)).toMatchObject([
    {
      ...{
        id,
        state: 'revoked',
        active: false,
        expiresAt: time,
        revokedAt: time,
        revokedBy: 'cli',
      },
      ...{ changedAt: time, changedBy: 'cli', replacedBy: keyId(hashApiKey(successor)) },
    },
    { id: keyId(hashApiKey(successor)), hint: successor.slice(-4), state: 'active' },
  ]);

  const messages = [created, rotated, revoked, again].map(({ stderr }) => stderr).join();
  const everything = [messages, served.output(), await storedText()].join();
  for (const secret of [key, successor]) {
    expect(everything).not.toContain(secret);
    expect(filesWith(secret)).toBe('');
  }
  expect(served.output()).not.toContain(hashApiKey(key));
});

test('a key may be limited in its modes, its end and its reads, and a rotation keeps that', async () => {
  const project = `Acme ${randomUUID()}`;
  /** The modes, the reads and the days that are left of each key, the oldest first. */
  const limits = async () =>
    (await listed(project)).map(({ modes, readsPerSecond, expiresAt }) => {
      const days = (Date.parse(String(expiresAt)) - Date.now()) / DAY_MS;
      return [modes, readsPerSecond, Math.round(days)];
    });
  const rights = ['--modes', 'token', 'token', '--ends', '90d', '--reads-per-second', '500'];
  const { stdout: key, stderr } = await keys('create', '--project', project, ...rights);
  expect(stderr).toContain('(lookups only by token, 500 reads a second, ends 20');
  expect(await limits()).toEqual([[['token'], 500, 90]]);
  expect(await statusWith(key)).toBe(403);

  const id = keyId(hashApiKey(key));
  const rotated = await keys('rotate', id);
  expect(rotated.stderr).toContain(`The old key ${id}: no figures of its use yet.\n`);
  expect(rotated.stderr).toMatch(/The old key \w{12} ends at 20\S+ \S+ UTC\. Once /);
  // The end of the old key is never put off, and that it has a successor is said.
  const again = await keys('rotate', id, '--old-ends', '30d');
  expect(again.stderr).toContain(`${keyId(hashApiKey(rotated.stdout))} already replaces it`);
  const soonest = new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10);
  expect(again.stderr).toContain(`The old key ${id} ends at ${soonest}`);
  expect(await limits()).toEqual([7, 365, 365].map((days) => [['token'], 500, days]));

  const { stdout } = await keys('list', '--project', project);
  expect(stdout.split('\n')[1]).toMatch(/ {2}ends 20\S+ \d\d:\d\d +token 500\/s {2,}Acme /);

  const second = await keys('create', '--project', project.toUpperCase(), '--modes', 'email');
  expect(second.stderr).toContain(
    `"${project}" has the active key ${id}. To replace it, run npm run -s admin -- keys rotate ${id} `,
  );
  const inAYear = new Date(Date.now() + 365 * DAY_MS).toISOString().slice(0, 10);
  expect(second.stderr).toContain(`(lookups only by e-mail address, ends ${inAYear} `);
});

// A day counts in full.
test.each(['2019-12-31', '2020-01-01T05:30:00+0530'])(
  'an end that has passed is refused: %s',
  async (end) => {
    const { status, stderr } = await keys('create', '--project', 'A', ...ALL, '--ends', end);
    expect(stderr).toContain('2020-01-01 00:00 UTC has passed. Give a later end.');
    expect(status).toBe(2);
  },
);

test('a key is changed on record while it is active, and nothing of it afterwards', async () => {
  const contact = 'ops@example.com';
  const stored = { active: true, project: 'A', contact, readsPerSecond: '5', createdBy: 'x' };
  const hash = await storeRecord({ ...stored, expiresAt: new Date(Date.now() + DAY_MS) });
  const id = hash.slice(0, 12);
  const record = async () => (await db.doc(`apiKeys/${hash}`).get()).data() ?? {};
  const words = ['--modes', 'token', 'wallet', '--ends', '2099-03-28', '--reads-per-second', '9'];
  const changed = await keys('change', id, ...words, '--contact', 'new@example.com');
  expect(changed.stderr).toContain(
    `Changed the key ${id} of "A" to (contact new@example.com, lookups only by wallet or token, ` +
      '9 reads a second, ends 2099-03-29 00:00 UTC).',
  );
  const author = { changedAt: expect.anything(), changedBy: 'cli' };
  const { expiresAt, ...others } = await record();
  expect(expiresAt.toDate()).toEqual(new Date('2099-03-29'));
  const limits = { contact: 'new@example.com', modes: ['wallet', 'token'], readsPerSecond: 9 };
  expect(others).toStrictEqual({ ...stored, ...limits, ...author });
  const { stdout } = await keys('list');
  expect(stdout).toMatch(/ A \(new@example.com\)\. .*\. changed 20\S+ \S+ by cli\n/);

  await keys('change', id, '--no-contact', '--ends', 'never', '--reads-per-second', 'deployed');
  const { contact: _, readsPerSecond: __, ...kept } = stored;
  expect(await record()).toStrictEqual({ ...kept, modes: ['wallet', 'token'], ...author });

  const changedAt = (await record())['changedAt'];
  expect((await keys('change', id, '--ends', 'never')).stderr).toContain('is like this already');
  expect((await record())['changedAt']).toEqual(changedAt);

  await keys('revoke', id);
  const revoked = await record();
  for (const end of [[], ['--ends', '9d']]) {
    const refused = await keys('change', id, '--no-contact', ...end);
    expect(refused.stderr).toMatch(/was already revoked on .* by cli\. Only an active key can be/);
    expect(refused.status).toBe(1);
  }
  expect(await record()).toStrictEqual(revoked);

  const ended = await storeRecord({ active: true, expiresAt: new Date(Date.now() - 1_000) });
  expect((await keys('change', ended, '--ends', '9d')).stderr).toContain('has already ended');
  expect((await keys('revoke', ended)).stderr).toContain('has already ended, on 20');
});

test('a write that is repeated after its key was revoked does not bring the key back', async () => {
  const key = newApiKey(randomBytes);
  const hash = hashApiKey(key);
  const write = <T>(body: (transaction: KeyTransaction) => Promise<T>) =>
    writeKeys(db, 'cli', Date.now(), body);
  const old = await storeRecord({ active: true });
  const repeated = () =>
    write((all) => createKey(all, key, 'A', {}, { hash: old, end: Date.now() + DAY_MS }));
  await repeated();
  expect(await write((all) => revokeKey(all, hash))).toBe(true);
  const [revoked, replaced] = await Promise.all([storedKey(key), db.doc(`apiKeys/${old}`).get()]);
  await repeated();
  // The first author of a revocation stays too.
  expect(await write((all) => revokeKey(all, hash))).toBe(false);
  expect(await write((all) => changeKey(all, hash, { contact: 'x' }))).toBe(false);
  expect(await storedKey(key)).toStrictEqual(revoked);
  expect((await db.doc(`apiKeys/${old}`).get()).data()).toStrictEqual(replaced.data());
  // Nothing of a revoked key changes, not even its end.
  await write((all) => revokeKey(all, old));
  const end = Date.now() + 1_000;
  await write((all) => createKey(all, `${key}2`, 'A', {}, { hash: old, end }));
  expect((await db.doc(`apiKeys/${old}`).get()).get('replacedBy')).toBe(keyId(hash));
});

test('keys are found by project, last characters and state, and active keys list their contacts', async () => {
  const project = `DAO ${randomUUID()} 統合`;
  const expiresAt = new Date(Date.now() - 1_000);
  const [found, other, ended, revoked] = await Promise.all([
    storeRecord({ active: true, project, hint: 'wxyz', contact: 'b@example.com' }),
    storeRecord({ active: true, project, hint: 'abcd', contact: 'a@example.com' }),
    storeRecord({ active: true, project, contact: 'ended@example.com', expiresAt }),
    storeRecord({ active: false, project, contact: 'revoked@example.com' }),
    storeRecord({ active: true, project: `${project} 2` }),
  ]);
  const [without] = await listed(`${project} 2`);
  const search = (...words: string[]) => keys('list', '--project', project.toUpperCase(), ...words);
  const idsIn = async (...words: string[]) =>
    expectOk(await search(...words))
      .match(/^[0-9a-f]{12}/gm)
      ?.sort();
  const idsOf = (...hashes: string[]) => hashes.map((hash) => hash.slice(0, 12)).sort();
  expect(await idsIn()).toEqual(idsOf(found, other, ended, revoked));
  expect(await idsIn('--active')).toEqual(idsOf(found, other));
  expect(await idsIn('--hint', 'poh_abcwxyz')).toEqual(idsOf(found));
  expect((await search()).stdout).toMatch(/ {2}ended 20\S+ \d\d:\d\d +/);
  const use = (hash: string) => db.doc(`keyUse/${hash.slice(0, 12)}`);
  const asOf = new Date('2026-11-28T21:00:00Z');
  await use(found).set({ lookups: 1_204, refused: 0, lastUsedOn: '2026-11-27', asOf });
  await use(other).set({ lookups: 0, refused: 0, lastUsedOn: '2026-09-30', asOf: new Date(0) });
  expect(await idsIn('--unused')).toEqual(idsOf(other));
  const shown = await search();
  expect(shown.stdout).toContain('last used 27 Nov, 1,204 lookups in 30 days');
  expect(shown.stdout).toContain('not used in 30 days, last on 2026-09-30');
  expect(shown.stderr).toContain('The figures of use are of 2026-11-28 21:00 UTC.');
  await db.doc(`apiKeys/${found}`).update({ expiresAt: new Date(Date.now() + 13.9 * DAY_MS) });
  await db.doc(`apiKeys/${other}`).update({ expiresAt: new Date(Date.now() + 14.1 * DAY_MS) });
  expect(await idsIn('--ends-soon')).toEqual(idsOf(found));
  expect((await search('--contacts')).stdout).toBe('a@example.com\nb@example.com\n');
  expect((await keys('list', '--contacts', '--project', `${project} 2`)).stderr).toContain(
    `These active keys have no contact: ${without?.['id']}.\n`,
  );
  expect((await keys('rotate', found)).stderr).toContain(
    'last used 27 Nov, 1,204 lookups in 30 days, as of 2026-11-28 21:00 UTC.',
  );
  const none = await keys('list', '--project', randomUUID());
  expect(none).toMatchObject({ status: 0, stdout: '' });
  expect(none.stderr).toMatch(/No key matches\. `keys list` shows all keys\.\n$/);
});

/** Stores a record under a new id, optionally with given first digits. */
async function storeRecord(fields: object, firstDigits = ''): Promise<string> {
  const hash = firstDigits + randomBytes(32).toString('hex').slice(firstDigits.length);
  await db.collection('apiKeys').doc(hash).set(fields);
  return hash;
}

describe('an id', () => {
  test('changes nothing if it is ambiguous, until more digits are given', async () => {
    const id = randomBytes(6).toString('hex');
    const hashes = [
      await storeRecord({ active: true, project: 'A' }, id),
      await storeRecord({ active: true, project: 'B' }, id),
    ];
    const records = hashes.map((hash) => db.doc(`apiKeys/${hash}`));
    const activeOnes = async () =>
      (await db.getAll(...records)).map((record) => record.get('active'));

    const [revoked, rotated] = await Promise.all([keys('revoke', id), keys('rotate', id)]);
    for (const refused of [revoked, rotated]) {
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      for (const hash of hashes) expect(refused.stderr).toContain(hash);
    }
    expect(await activeOnes()).toEqual([true, true]);
    expect(await keys('revoke', hashes[1] ?? '')).toMatchObject({ status: 0 });
    expect(await activeOnes()).toEqual([true, false]);
  });

  test.each([
    ['was already revoked', { active: false, project: 'A' }],
    ['has no project', { active: true }],
    ['is not a timestamp', { active: true, project: 'A', expiresAt: 'x' }],
    ['has already ended', { active: true, project: 'A', expiresAt: new Date(0) }],
    ['has no valid modes', { active: true, project: 'A', modes: 'token' }],
  ])('is refused by rotate if its key %s', async (reason, fields) => {
    const { status, stdout, stderr } = await keys('rotate', await storeRecord(fields));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(reason);
  });
});

test('after a restore, commands revoke again what the saved list shows as revoked or ended', async () => {
  const project = `Test DAO ${randomUUID()}`;
  const expiresAt = new Date(Date.now() - 1_000);
  const later = new Date(Date.now() + DAY_MS);
  const hashes = await Promise.all([
    storeRecord({ active: true, project, expiresAt: later }),
    storeRecord({ active: false, project }),
    storeRecord({ active: true, project, expiresAt }),
    storeRecord({ active: false, project }),
  ]);
  const list = await listed(project);
  // The restored data are older than the revocations and ends, and lack the last key.
  const records = hashes.map((hash) => db.doc(`apiKeys/${hash}`));
  await Promise.all([
    records.pop()?.delete(),
    ...records.map((one) => one.set({ active: true, project })),
  ]);
  const inHome = (name: string): string => join(home, name);
  // Each file has keys that the other one lacks.
  writeFileSync(inHome('keys-copy.json'), JSON.stringify(list.filter((key) => !key['active'])));
  writeFileSync(inHome('keys-now.json'), JSON.stringify(list.filter((key) => key['active'])));
  const run = (documented: RegExp) => {
    const command = (documented.exec(RESTORE)?.[0] ?? '')
      .replaceAll(/\S+\.(json|tsv)\b/g, inHome)
      .replace(' ID ', ` ${firebaseProject} `);
    return spawnSync('bash', ['-c', command], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: TIME_LIMIT_MS,
    });
  };
  const save = async () =>
    writeFileSync(inHome('keys-restored.json'), JSON.stringify(await listed(project)));
  await save();
  expect(run(/jq -r --slurpfile[\s\S]*? keys revoke/).stderr).not.toContain('No key has the id');
  const restored = await db.getAll(...records);
  expect(restored.map((record) => record.get('active'))).toEqual([true, false, false]);
  await save();
  const { stdout } = run(/jq -rn --slurpfile.*/);
  expect(stdout).toBe(
    `${hashes[0]?.slice(0, 12)}\t${project}\t${later.toISOString()}\twallet,email,token\t\n`,
  );
});

test('incomplete records are listed with the fields they have', async () => {
  const project = `By hand ${randomUUID()}\u001b[2J`;
  const pasted = newApiKey(randomBytes);
  const [bare, text, foreign] = await Promise.all([
    storeRecord({ project, modes: [] }),
    storeRecord({ project, active: 'true', hint: 7, createdAt: 'yesterday', expiresAt: 'x' }),
    db.collection('apiKeys').add({ project, active: true }),
    db.collection('apiKeys').doc(pasted).set({ project, active: true }),
  ]);
  const found = await listed(project);
  expect(
    found.map(({ id, state, faults, expiresAt }) => [id, state, faults, expiresAt]).sort(),
  ).toEqual(
    [
      [bare.slice(0, 12), 'unusable', ['active', 'modes'], null],
      [text.slice(0, 12), 'unusable', ['active', 'expiresAt'], null],
      // It may be the key itself.
      [`${foreign.id.slice(0, 4)}…`, 'unusable', ['id'], null],
      ['poh_…', 'unusable', ['id'], null],
    ].sort(),
  );

  const table = await keys('list');
  expect(table.stdout).toMatch(/^ID +HINT +STATE +MODES +PROJECT \(CONTACT\), USE, CHANGES/);
  expect(table.stdout).toContain('Its field “active” is neither true nor false');
  expect(table.stdout).toMatch(new RegExp(`^${bare.slice(0, 12)} +- +unusable +nothing +`, 'm'));
  expect(table.stdout).toContain(String.raw`\u{1b}[2J`);
  expect(table.stdout).not.toContain('\u001b');
  expect(table.stdout + table.stderr).not.toContain(pasted);
  await Promise.all([foreign.delete(), db.collection('apiKeys').doc(pasted).delete()]);
});

test('the list fits in the columns of the terminal, and long names are wrapped', async () => {
  const project = `${'統合'.repeat(30)} DAO`;
  await storeRecord({
    active: false,
    project,
    contact: 'ops@example.com',
    hint: 'abcd',
    createdAt: new Date('2026-11-01T12:00:00Z'),
    expiresAt: new Date('2026-11-25T12:00:00Z'),
    ...{ changedAt: new Date('2026-11-20T11:00:00Z'), changedBy: 'kim' },
    ...{ revokedAt: new Date('2026-11-21T12:00:00Z'), revokedBy: 'lee' },
    replacedBy: '0123456789ab',
  });
  const words = [...FIREBASE_PROJECT, 'keys', 'list'];
  const narrow = (await runAdmin(words, { columns: 80 })).stdout;
  const lines = narrow.split('\n');
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(80);
  expect(narrow.replaceAll(/\s/g, '')).toContain(`${project} (ops@example.com)`.replace(/\s/g, ''));
  const { stdout } = await keys('list');
  expect(stdout).toMatch(/ {2}…abcd {2}revoked 2026-11-21 12:00 +all +統/);
  expect(stdout).toContain(
    `${project} (ops@example.com). no figures of its use yet. replaced by 0123456789ab. ` +
      'changed 2026-11-20 11:00 by kim. revoked by lee\n',
  );
});

test('a list ends quietly when its reader closes the pipe', () => {
  const piped = ['-c', '"$0" "$@" | true; exit $PIPESTATUS', process.execPath, MAIN];
  const words = [...piped, ...FIREBASE_PROJECT, 'keys', 'list', '--json'];
  const { status, stderr } = spawnSync('bash', words, { encoding: 'utf8', timeout: TIME_LIMIT_MS });
  // One line names the project.
  expect(stderr).toMatch(/^Firebase project .* in the Firestore emulator at .*\n$/);
  expect(status).toBe(141);
});

test('of two revocations at the same time, one says that somebody else has revoked the key', async () => {
  const revokeTwice = async () => {
    const hash = await storeRecord({ active: true });
    const runs = await Promise.all([keys('revoke', hash), keys('revoke', hash)]);
    return runs.map(({ stderr }) => stderr).join();
  };
  await expect.poll(revokeTwice).toContain('Somebody else has revoked the key');
});

test('prompts escape a name with right-to-left characters', async () => {
  const hash = await storeRecord({ active: true, project: 'A\u202e"3f9a0c11d2e4 yek eht ekoveR' });
  const { stderr } = await keys('rotate', hash, '--old-ends', 'never');
  expect(stderr).toContain(String.raw`for "A\u{202e}"`);
  expect(stderr).toContain(`\nThe old key ${hash.slice(0, 12)} has no end. Once `);
  expect(stderr).not.toContain('\u202e');
});

test('no proxy is asked for an emulator', async () => {
  vi.stubEnv('https_proxy', 'http://127.0.0.1:9').stubEnv('no_grpc_proxy', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expectOk(await keys('list'));
  expect((await keys('use')).stderr).toContain('The emulators have no Cloud Monitoring. Nothing');
});
