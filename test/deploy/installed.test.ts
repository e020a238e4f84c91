// Installs and runs the archive that firebase-tools uploads. The installation has the steps of Google's
// buildpack (github.com/GoogleCloudPlatform/buildpacks, cmd/nodejs/npm/lib/lib.go at 14b7667). The function
// then runs as another user who cannot write to its folder, with the environment that the deployment has set.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startGoogleProject } from '../../tools/doubles/deployment/project.ts';
import { freePort } from '../../tools/sandbox/freePort.ts';
import { runAdmin } from '../admin/adminCommand.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { makeCheckout } from './checkout.ts';
import { documentedCommand } from './documents.ts';
import { allowBuilds } from './rehearsal.ts';

/** The oldest version of npm 11, which Node 24 includes, and the newest version of npm. */
const NPM_VERSIONS = ['11.0.0', '12.2.0'];
const NOBODY = 65_534;
const ID = process.env['GCLOUD_PROJECT'] ?? '';
const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;

const deployedFunction = z.object({
  serviceConfig: z.object({ environmentVariables: z.record(z.string(), z.string()) }),
});
const folder = temporaryFolder();
// The instance's user must be able to read the folder.
chmodSync(folder, 0o755);
let archive: Record<string, Uint8Array>;
let environment: Record<string, string>;

beforeAll(async () => {
  using checkout = makeCheckout();
  await using project = await startGoogleProject(ID);
  project.store.put(`projects/${ID}/serviceAccounts/poh-lookup@${ID}.iam.gserviceaccount.com`, {});
  allowBuilds(project);
  for (const words of ["printf '%s", '--only functions']) {
    const command = documentedCommand('For the first time', words, ID);
    const { status, output } = await checkout.run(command, project.env);
    expect(status, output).toBe(0);
  }
  archive = unzipSync(project.store.files.get('source.zip') ?? Buffer.alloc(0));
  const [name = ''] = project.store.names('functions');
  const { serviceConfig } = deployedFunction.parse(project.store.resources.get(name));
  environment = serviceConfig.environmentVariables;
}, 120_000);

async function npm(version: string, words: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env, PATH, NODE_ENV: 'production', npm_config_prefer_offline: 'true' };
  await promisify(execFile)('npx', ['--yes', `npm@${version}`, ...words], { cwd, env });
}

/** The files in the folder, with the times of their last writes. */
const contentOf = (cwd: string): string[] =>
  readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${statSync(join(cwd, path)).mtimeMs}`)
    .sort();

/** Starts an instance with the variables of the deployment, of Cloud Run and of the emulators. */
async function startInstance(
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ url: string; child: ChildProcess; output: () => string }> {
  const port = await freePort();
  const child = spawn('/bin/bash', ['-c', 'functions-framework'], {
    cwd,
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    env: {
      ...environment,
      PATH: `${join(cwd, 'node_modules/.bin')}:${PATH}`,
      NODE_ENV: 'production',
      NODE_OPTIONS: '--max-old-space-size=960',
      FUNCTION_TARGET: 'pohAttestationsEndpoint',
      K_SERVICE: 'pohattestationsendpoint',
      K_REVISION: 'pohattestationsendpoint-00001-abc',
      K_CONFIGURATION: 'pohattestationsendpoint',
      PORT: String(port),
      FIRESTORE_EMULATOR_HOST: process.env['FIRESTORE_EMULATOR_HOST'],
      FIREBASE_AUTH_EMULATOR_HOST: process.env['FIREBASE_AUTH_EMULATOR_HOST'],
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const url = `http://127.0.0.1:${port}/`;
  const started = () =>
    fetch(url).catch(() => {
      throw new Error(`the instance does not listen:\n${output}`);
    });
  await vi.waitFor(started, { timeout: 20_000 });
  return { url, child, output: () => output };
}

describe.each(NPM_VERSIONS)('installed with npm %s', (version) => {
  const cwd = join(folder, version);
  let instance: Awaited<ReturnType<typeof startInstance>>;
  let installed: string[];

  beforeAll(async () => {
    mkdirSync(cwd);
    for (const [name, bytes] of Object.entries(archive)) {
      writeFileSync(join(cwd, name), bytes);
    }
    await npm(version, ['ci', '--quiet', '--no-fund', '--no-audit'], cwd);
    installed = contentOf(cwd);
    instance = await startInstance(cwd);
  }, 180_000);

  afterAll(async () => {
    instance.child.kill('SIGTERM');
    await once(instance.child, 'exit');
  });

  test('a lookup in each mode succeeds, and smoke finds no difference', async () => {
    const key = await seedKey();
    const wallet = await seedWallet({ attestationType: 0 });
    const email = await seedAccount({ wallet });
    const token = await seedToken(wallet);
    for (const target of [`?wallet=${wallet}`, `?email=${email}`, `?token=${token}`]) {
      const { status, json } = await send(instance.url, { key, target });
      expect({ status, count: json.count }).toEqual({ status: 200, count: 1 });
    }
    const keyFile = join(folder, `key-${version}`);
    writeFileSync(keyFile, key, { mode: 0o600 });
    expect(await runAdmin(['smoke', '--url', instance.url, '--key-file', keyFile])).toMatchObject({
      status: 0,
    });
  });

  test('logs one line for each request, with its execution id', async () => {
    await expect
      .poll(() => instance.output())
      .toMatch(/\{[^\n]*"message":"lookup"[^\n]*execution_id/);
  });

  test('logs an error with stack frames of our source files', async () => {
    const key = await seedKey();
    const { child, url, output } = await startInstance(cwd, {
      FIRESTORE_EMULATOR_HOST: '127.0.0.1:1',
    });
    expect(await send(url, { key, target: '?email=a@example.com' })).toMatchObject({ status: 500 });
    await expect.poll(output).toMatch(/"stack":\["[^"]*index\.cjs:\d+:\d+/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  test('writes nothing into its folder', () => {
    expect(contentOf(cwd)).toEqual(installed);
  });

  test('a later build uses the packages in its cache', async () => {
    const cached = join(folder, `cached-${version}`);
    cpSync(cwd, cached, { recursive: true, verbatimSymlinks: true });
    await npm(version, ['install', '--quiet'], cached);
    expect(readdirSync(join(cached, 'node_modules')).sort()).toEqual(
      readdirSync(join(cwd, 'node_modules')).sort(),
    );
  });
});
