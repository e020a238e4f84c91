// A deployed folder has only what is uploaded and what Google's builder installs: the function runs there.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { uploadedFrom } from './upload.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'installed-'));

let served: ServedFunction;
let installed: string[];

beforeAll(async () => {
  for (const path of [...(await uploadedFrom(ROOT)), ...installedPaths()]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  installed = writtenFiles();
  served = await serveFunction({}, undefined, folder);
});

afterAll(async () => {
  await served.stop();
  rmSync(folder, { recursive: true });
});

/** The folders that `npm ci --omit=dev` makes. */
function installedPaths(): string[] {
  const command = ['ls', '--omit=dev', '--all', '--parseable'];
  const [root = '', ...packages] = execFileSync('npm', command, { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  return packages.map((path) => relative(root, path));
}

/** The files outside node_modules, and when each was written. */
const writtenFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('node_modules'))
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .sort();

test('a lookup in each mode', async () => {
  const key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  const email = await seedAccount({ wallet });
  const token = await seedToken(wallet);
  for (const target of [`?wallet=${wallet}`, `?email=${email}`, `?token=${token}`]) {
    const { status, json } = await send(served.url, { key, target });
    expect({ status, count: json.count }).toEqual({ status: 200, count: 1 });
  }
});

test('nothing is written beside it, which may be read-only', () => {
  expect(writtenFiles()).toEqual(installed);
});
