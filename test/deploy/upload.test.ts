// Packs the function as firebase-tools does before it uploads it, installs the archive as Google's builder does
// (github.com/GoogleCloudPlatform/buildpacks, cmd/nodejs/npm/lib/lib.go at 14b7667), and starts it like Cloud Run: as
// another user, who cannot write to its folder, and with Google's host names over TLS.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import firebaseConfig from '../../firebase.json' with { type: 'json' };
import { startServer } from '../../tools/sandbox/servedFunction.ts';
import { runAdmin } from '../cli/adminCommand.ts';
import { createGoogleCloud } from '../doubles/googleCloud.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT, textOf } from './repository.ts';

const NOBODY = 65_534;
/** `--max-old-space-size` of the double's variables. */
const HEAP_MIB = 960;
/** An option of Node that prints the size of the heap. */
const PRINTS_HEAP = `--import=data:text/javascript,${encodeURIComponent(
  "import v8 from 'node:v8'; console.log('heap', v8.getHeapStatistics().heap_size_limit >> 20);",
)}`;
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
  'framework/key.pem',
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

test('only the bundles, the manifests and the lockfile are uploaded', () => {
  expect(Object.keys(archive).sort()).toEqual([
    'framework/index.cjs',
    'framework/package.json',
    'index.cjs',
    'package-lock.json',
    'package.json',
  ]);
  const json = (name: string) => JSON.parse(Buffer.from(archive[name] ?? []).toString());
  expect(json('package.json')).toMatchObject({
    main: 'index.cjs',
    dependencies: { '@google-cloud/functions-framework': 'file:framework' },
  });
  // The function itself, and the framework as a folder and a link.
  expect(Object.keys(json('package-lock.json').packages)).toHaveLength(3);
});

/** Writes the archive into a folder, as a tool that does not keep which files are executable. */
function unpack(name: string): string {
  const cwd = join(folder, name);
  for (const [path, bytes] of Object.entries(archive)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), bytes, { mode: 0o644 });
  }
  return cwd;
}

const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
const COMMAND = 'node_modules/.bin/functions-framework';
/** Runs npm without a network, because there is nothing to download. */
async function npm(cwd: string, ...words: readonly string[]): Promise<void> {
  const env = { ...process.env, PATH, NODE_ENV: 'production' };
  await promisify(execFile)('npm', [...words, '--offline', '--quiet'], { cwd, env });
}

test('a build that finds the packages of an earlier one runs its own command', async () => {
  const [earlier, cwd] = [unpack('earlier'), unpack('later')];
  await npm(earlier, 'ci');
  execFileSync('cp', ['--archive', join(earlier, 'node_modules'), cwd]);
  rmSync(earlier, { recursive: true });
  await npm(cwd, 'install');
  const env = { PATH, FUNCTION_TARGET: ENDPOINT_NAME };
  const { status, stdout } = spawnSync('/bin/bash', ['-c', COMMAND], {
    cwd,
    env,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining('Set PORT') });
});

test('the archive, installed with npm ci, looks up in each mode, and writes nothing into its folder', async () => {
  const cwd = unpack('installed');
  await npm(cwd, 'ci');
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
  const instance = await startServer(['/bin/bash', '-c', COMMAND], {
    cwd,
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    env: {
      PATH,
      NODE_ENV: 'production',
      K_REVISION: 'pohattestationsendpoint-00001-abc',
      GCLOUD_PROJECT: process.env['GCLOUD_PROJECT'],
      ...parseEnv(textOf('.env')),
      ...google.env,
      NODE_OPTIONS: `${google.env['NODE_OPTIONS']} ${PRINTS_HEAP}`,
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
  // The size that the builder derives from the memory of the instance. V8 adds its young generation.
  const heap = Number(/^heap (\d+)$/m.exec(instance.output())?.[1]);
  expect(heap / HEAP_MIB).toBeGreaterThan(1);
  expect(heap / HEAP_MIB).toBeLessThan(1.3);
});
