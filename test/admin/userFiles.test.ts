// Tests `users link-wallets` against the emulators.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import { openOwnProject } from '../support/ownProject.ts';
import { randomEmail, randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runAdmin, spawnAdmin } from './adminCommand.ts';

const folder = temporaryFolder();

/** A separate project, because the command lists all accounts. */
const { project } = openOwnProject();
const auth = getAuth(initializeApp({ projectId: project }, `${project}-accounts`));

interface Row {
  readonly email: string;
  readonly wallet: string;
}

async function newRows(count: number): Promise<Row[]> {
  const rows = Array.from({ length: count }, () => ({
    email: randomEmail(),
    wallet: randomWallet(),
  }));
  await auth.importUsers(rows.map(({ email }) => ({ uid: email, email, emailVerified: true })));
  return rows;
}

function write(rows: readonly Row[], name = 'users.csv'): string {
  const file = join(folder, name);
  writeFileSync(
    file,
    ['email,wallet', ...rows.map(({ email, wallet }) => `${email},${wallet}`), ''].join('\n'),
  );
  return file;
}

const words = (file: string, ...flags: string[]) => [
  ...['--firebase-project', project],
  ...['users', 'link-wallets', file, ...flags],
];
const link = (file: string, ...flags: string[]) => runAdmin(words(file, ...flags));
const walletsOf = async (rows: readonly Row[]) => {
  const { users } = await auth.getUsers(rows.map(({ email }) => ({ email })));
  const wallets = new Map(
    users.map(({ email, customClaims }) => [email, customClaims?.['wallet']]),
  );
  return rows.map(({ email }) => wallets.get(email));
};

test('--dry-run previews a file, a run links its rows, and a second run changes nothing', async () => {
  const rows = await newRows(5);
  const moved = await newRows(1);
  await auth.setCustomUserClaims(moved[0]?.email ?? '', { wallet: randomWallet() });
  const all = [...rows, ...moved];
  const file = write(all);
  const planned = await link(file, '--dry-run');
  expect(planned.stderr).toContain(
    'To link: 5. To move from another wallet: 1. Already linked: 0. Refused: 0.',
  );
  expect(await walletsOf(rows)).toEqual(rows.map(() => undefined));
  expect(await link(file)).toMatchObject({ status: 0, stdout: '' });
  expect(await walletsOf(all)).toEqual(all.map(({ wallet }) => wallet));
  expect((await link(file)).stderr).toContain(
    'To link: 0. To move from another wallet: 0. Already linked: 6. Refused: 0.',
  );
});

test('refused rows are listed with their lines, and the others are linked', async () => {
  const [good, taken, twice, again, disabled] = await newRows(5);
  if (!good || !taken || !twice || !again || !disabled) throw new Error('too few rows');
  const [holder] = await newRows(1);
  await auth.setCustomUserClaims(holder?.email ?? '', { wallet: taken.wallet });
  await auth.updateUser(disabled.email, { disabled: true });
  const nobody = { email: randomEmail(), wallet: randomWallet() };
  const same = { ...again, wallet: twice.wallet };
  const rows = [good, taken, twice, same, disabled, nobody];
  const file = write(rows);
  const { status, stdout } = await link(file);
  expect(status).toBe(1);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['LINE', 'EMAIL', 'REFUSED'],
    ['3', expect.any(String), expect.stringContaining(`${holder?.email} already has the wallet; `)],
    ['4', expect.any(String), expect.stringContaining('names the wallet more than once')],
    ['5', expect.any(String), expect.stringContaining('names the wallet more than once')],
    ['6', expect.any(String), expect.stringContaining('the account is disabled')],
    ['7', expect.any(String), expect.stringContaining('no account has this address')],
    [''],
  ]);
  expect(await walletsOf(rows)).toEqual([good.wallet, ...Array(5).fill(undefined)]);
  expect((await link(file, '--shared')).stdout.split('\n')).toHaveLength(4);
  expect((await walletsOf(rows)).slice(0, 4)).toEqual(rows.slice(0, 4).map((row) => row.wallet));
});

test('after an interruption, a second run links the remaining rows', async () => {
  const rows = await newRows(60);
  const file = write(rows);
  const stop = new AbortController();
  const stopped = spawnAdmin(words(file), { interrupt: stop.signal });
  while ((await walletsOf(rows)).every((wallet) => wallet === undefined));
  stop.abort();
  expect((await stopped).status).not.toBe(0);
  expect(await walletsOf(rows)).toContain(undefined);
  const resumed = await link(file);
  expect(resumed.stderr).toMatch(/To link: [1-5]\d?\. .*Already linked: [1-5]?\d\. Refused: 0\./);
  expect(await walletsOf(rows)).toEqual(rows.map(({ wallet }) => wallet));
});

test('finds a holder after the first thousand accounts', async () => {
  const [row] = await newRows(1);
  if (!row) throw new Error('no row');
  const many = Array.from({ length: 1_000 }, (_, index) => ({ uid: `m${index}-${row.email}` }));
  await auth.importUsers(many);
  const last = await auth.createUser({ uid: `z-${row.email}`, email: `z-${row.email}` });
  await auth.setCustomUserClaims(last.uid, { wallet: row.wallet });
  const { stdout, status } = await link(write([row]));
  expect(stdout).toContain(`z-${row.email} already has the wallet`);
  expect(status).toBe(1);
});

describe('an invalid file changes nothing, and its data is not repeated', () => {
  const row = { email: randomEmail(), wallet: randomWallet() };
  const csv = (...lines: string[]) => ['email,wallet', ...lines].join('\r\n');
  test.each([
    ['empty', '', 'the first line must be the heading email,wallet'],
    ['without a heading', `${row.email},${row.wallet}`, 'the first line must be the heading'],
    [
      'with semicolons',
      csv(`${row.email};${row.wallet}`),
      'line 2: this must be an e-mail address, a',
    ],
    ['with a third field', csv(`${row.email},${row.wallet},x`), 'line 2: this must be an e-mail'],
    ['with an invalid address', csv(`nobody,${row.wallet}`), 'line 2: this must be an e-mail'],
    [
      'with an invalid wallet',
      csv('', `${row.email},x${row.wallet}`),
      'line 3: the wallet is not a base58',
    ],
    [
      'with an address twice',
      csv(`${row.email},${row.wallet}`, `${row.email.toUpperCase()},${randomWallet()}`),
      'lines 2 and 3 have the same address',
    ],
  ])('%s', async (_, content, sentence) => {
    const file = join(folder, 'bad.csv');
    writeFileSync(file, content);
    const { status, stdout, stderr } = await link(file);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(new RegExp(`${row.email}|${row.wallet}`, 'i'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});

test('a file from a spreadsheet is read', async () => {
  const [row] = await newRows(1);
  if (!row) throw new Error('no row');
  const file = join(folder, 'sheet.csv');
  writeFileSync(file, `\ufeff"email","wallet"\r\n"${row.email}", ${row.wallet}\r\n\r\n`);
  expect(await link(file)).toMatchObject({ status: 0 });
  expect(await walletsOf([row])).toEqual([row.wallet]);
});
