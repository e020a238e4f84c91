// Packs the function as firebase-tools does before it uploads it, installs the archive as Google's builder does
// (github.com/GoogleCloudPlatform/buildpacks, cmd/nodejs/npm/lib/lib.go at 14b7667), and starts it like Cloud Run: as
// another user, who cannot write to its folder, and with Google's host names over TLS.

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import firebaseConfig from '../../firebase.json' with { type: 'json' };
import { startServer } from '../../tools/sandbox/servedFunction.ts';
import { runAdmin } from '../cli/adminCommand.ts';
import { createGoogleCloud } from '../doubles/googleCloud.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT, textOf } from './applyScript.ts';

const NOBODY = 65_534;
const folder = temporaryFolder();

/** Files with credentials or personal data, named as tools name them. */
const PLANTED = [
  '.env.local',
  '.npmrc',
  '.secret.local',
  'application_default_credentials.json',
  'attestations.csv',
  'demo-poh-firebase-adminsdk-a1b2c-0123456789.json',
  'firebase-debug.log',
  'key.pem',
  'node_modules/x/package.json',
];

/** firebase-tools has no types for this module. */
const { prepareFunctionsUpload } = createRequire(import.meta.url)(
  'firebase-tools/lib/deploy/functions/prepareFunctionsUpload.js',
);

/** Builds the function, adds more files to its folder, and packs it. */
async function pack(): Promise<Record<string, Uint8Array>> {
  const source = join(folder, 'source');
  execFileSync(process.execPath, ['tools/build.ts', source], { cwd: ROOT });
  for (const name of PLANTED.filter((one) => !existsSync(join(source, one)))) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), '');
  }
  const [config] = structuredClone(firebaseConfig.functions);
  const { pathToSource } = await prepareFunctionsUpload(folder, source, { ...config }, []);
  return unzipSync(readFileSync(pathToSource));
}
const archive = await pack();

test('only the bundle, the manifest and the lockfile are uploaded', () => {
  expect(Object.keys(archive).sort()).toEqual(['index.cjs', 'package-lock.json', 'package.json']);
  const json = (name: string) => JSON.parse(Buffer.from(archive[name] ?? []).toString());
  expect(json('package.json')).toMatchObject({
    main: 'index.cjs',
    dependencies: { '@google-cloud/functions-framework': expect.any(String) },
  });
  const locked = Object.values<object>(json('package-lock.json').packages);
  expect(locked.filter((one) => 'dev' in one || 'hasInstallScript' in one)).toEqual([]);
});

test('the archive, installed with npm ci, looks up in each mode, and writes nothing into its folder', async () => {
  const cwd = join(folder, 'installed');
  mkdirSync(cwd);
  for (const [name, bytes] of Object.entries(archive)) writeFileSync(join(cwd, name), bytes);
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, NODE_ENV: 'production', npm_config_prefer_offline: 'true' };
  await promisify(execFile)('npm', ['ci', '--quiet', '--no-fund', '--no-audit'], { cwd, env });
  /** The installed files, with the times of their last writes. */
  const content = () =>
    readdirSync(cwd, { recursive: true, encoding: 'utf8' }).map(
      (path) => `${path} ${statSync(join(cwd, path)).mtimeMs}`,
    );
  const installed = content();

  const google = await createGoogleCloud();
  onTestFinished(() => google.close());
  // The instance's user must be able to read these folders.
  for (const one of [folder, dirname(google.env['NODE_EXTRA_CA_CERTS'] ?? '')])
    chmodSync(one, 0o755);
  const instance = await startServer(['/bin/bash', '-c', 'functions-framework'], {
    cwd,
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    env: {
      PATH: `${join(cwd, 'node_modules/.bin')}:${PATH}`,
      NODE_ENV: 'production',
      K_REVISION: 'pohattestationsendpoint-00001-abc',
      GCLOUD_PROJECT: process.env['GCLOUD_PROJECT'],
      ...parseEnv(textOf('.env')),
      ...google.env,
    },
  });
  onTestFinished(instance.stop);
  await instance.listening;

  const key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  const email = await seedAccount({ wallet });
  const token = await seedToken(wallet);
  for (const target of [`?wallet=${wallet}`, `?email=${email}`, `?token=${token}`]) {
    const { status, json } = await send(instance.url, { key, target });
    expect({ status, count: json.count }).toEqual({ status: 200, count: 1 });
  }
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const smoke = ['smoke', '--url', instance.url, '--key-file', keyFile];
  expect(await runAdmin(smoke)).toMatchObject({ status: 0 });
  expect(content()).toEqual(installed);
});
