// What a deployment uploads: firebase-tools itself is asked, with the list in firebase.json.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

interface FirebaseFiles {
  /** Lists what firebase-tools packs, as its `prepareFunctionsUpload` calls it. */
  readdirRecursive(options: {
    path: string;
    ignoreStrings: readonly string[];
  }): Promise<{ name: string }[]>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { readdirRecursive }: FirebaseFiles = createRequire(import.meta.url)(
  'firebase-tools/lib/fsAsync.js',
);
const ignoreStrings: readonly string[] = JSON.parse(
  readFileSync(join(ROOT, 'firebase.json'), 'utf8'),
).functions[0].ignore;

async function uploadedFrom(path: string): Promise<string[]> {
  const files = await readdirRecursive({ path, ignoreStrings });
  return files.map(({ name }) => relative(path, name)).sort();
}

const folder = mkdtempSync(join(tmpdir(), 'upload-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NEEDED = ['functions/lib/index.cjs', 'package-lock.json', 'package.json'];

/** Names of files that hold credentials or somebody's data, and of the tools' own files. */
const LEFT_OUT = [
  'demo-poh-firebase-adminsdk-a1b2c-0123456789.json',
  'service-account.json',
  'application_default_credentials.json',
  'client_secret_1.apps.googleusercontent.com.json',
  'key',
  'key.pem',
  'key.p12',
  'attestations.csv',
  'users.json',
  '.env',
  '.env.demo-poh',
  '.secret.local',
  '.runtimeconfig.json',
  '.npmrc',
  '.git/config',
  '.firebase/hosting.cache',
  'firebase-debug.log',
  'node_modules/x/package.json',
  'src/index.ts',
  'anything/package.json',
];

test('of this folder the bundle and what installs beside it are uploaded, and nothing else', async () => {
  const bundle = readdirSync(join(ROOT, 'functions/lib')).filter((name) => name.endsWith('.cjs'));
  expect(await uploadedFrom(ROOT)).toEqual([
    ...bundle.map((name) => `functions/lib/${name}`).sort(),
    'package-lock.json',
    'package.json',
  ]);
});

test('no credentials and nothing that is not needed, wherever it lies', async () => {
  const places = ['', 'functions', 'functions/lib'];
  const planted = places.flatMap((place) => LEFT_OUT.map((name) => join(place, name)));
  for (const name of [...NEEDED, ...planted]) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  expect(await uploadedFrom(folder)).toEqual(NEEDED);
});
