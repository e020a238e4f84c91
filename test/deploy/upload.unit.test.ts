// What a deployment uploads, and what Google's builder installs beside it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { uploadedFrom } from './upload.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'upload-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NEEDED = ['functions/lib/index.cjs', 'package-lock.json', 'package.json'];

/** Names of files with credentials or personal data, and of the tools' own files. */
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

test('what production installs runs no install script of another’s', () => {
  interface LockedPackage {
    readonly dev?: boolean;
    readonly hasInstallScript?: boolean;
  }
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages: Record<string, LockedPackage> = lock.packages;
  const withScripts = Object.entries(packages).filter(([, locked]) => locked.hasInstallScript);
  expect(withScripts.map(([path]) => path)).toContain('node_modules/esbuild');
  expect(withScripts.filter(([, locked]) => !locked.dev)).toEqual([]);
});
