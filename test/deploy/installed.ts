// Tests an archive that firebase-tools has uploaded. The installation has the steps of Google's buildpack
// (github.com/GoogleCloudPlatform/buildpacks, cmd/nodejs/npm/lib/lib.go at 14b7667). The function then runs as
// another user who cannot write to its folder, with the environment that the deployment has set, and calls
// Google's host names over TLS.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { type ServedFunction, startServer } from '../../tools/sandbox/servedFunction.ts';
import { runAdmin } from '../admin/adminCommand.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const NOBODY = 65_534;
const PROJECT = process.env['GCLOUD_PROJECT'] ?? '';
const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;

interface Deployed {
  readonly archive: Record<string, Uint8Array>;
  readonly environment: Record<string, string>;
}

const deployedFunction = z.object({
  serviceConfig: z.object({ environmentVariables: z.record(z.string(), z.string()) }),
});

/** The function's environment, with the project of the emulators instead of its own. */
export function environmentOf(resource: unknown, project: string): Record<string, string> {
  const { environmentVariables } = deployedFunction.parse(resource).serviceConfig;
  const replaced = Object.entries(environmentVariables).map(([name, value]) => [
    name,
    value.replaceAll(project, PROJECT),
  ]);
  return Object.fromEntries(replaced);
}

async function npm(version: string, words: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env, PATH, NODE_ENV: 'production', npm_config_prefer_offline: 'true' };
  await promisify(execFile)('npx', ['--yes', `npm@${version}`, ...words], { cwd, env });
}

/** The files in the folder, with the times of their last writes. */
const contentOf = (cwd: string): string[] =>
  readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${statSync(join(cwd, path)).mtimeMs}`)
    .sort();

/** Starts an instance with the variables of the deployment, of Cloud Run and of the test doubles of Google. */
async function startInstance(cwd: string, env: Record<string, string>): Promise<ServedFunction> {
  const instance = await startServer(['/bin/bash', '-c', 'functions-framework'], {
    cwd,
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    env: {
      PATH: `${join(cwd, 'node_modules/.bin')}:${PATH}`,
      NODE_ENV: 'production',
      K_REVISION: 'pohattestationsendpoint-00001-abc',
      K_CONFIGURATION: 'pohattestationsendpoint',
      ...env,
    },
  });
  await instance.listening;
  return instance;
}

/** Installs the archive in the folder `cwd`, and tests an instance of it. */
export function testInstalled(version: string, cwd: string, deployed: () => Deployed): void {
  let google: GoogleCloud;
  let instance: ServedFunction;
  let contents: string[];

  beforeAll(async () => {
    const { archive, environment } = deployed();
    mkdirSync(cwd, { recursive: true });
    for (const [name, bytes] of Object.entries(archive)) writeFileSync(join(cwd, name), bytes);
    await npm(version, ['ci', '--quiet', '--no-fund', '--no-audit'], cwd);
    contents = contentOf(cwd);
    google = await createGoogleCloud();
    // The instance's user must be able to read these folders.
    for (const one of [dirname(cwd), dirname(google.env['NODE_EXTRA_CA_CERTS'] ?? '')]) {
      chmodSync(one, 0o755);
    }
    instance = await startInstance(cwd, { ...google.env, ...environment });
  }, 180_000);

  afterAll(async () => {
    await instance.stop();
    google.close();
  });

  test('gets its access token at the start, and reads nothing before the first lookup', async () => {
    await expect.poll(() => google.metadata.tokens.length).toBe(1);
    expect(google.firestore.service.calls).toEqual([]);
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
    const keyFile = join(dirname(cwd), `key-${version}`);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const smoke = ['smoke', '--url', instance.url, '--key-file', keyFile];
    expect(await runAdmin(smoke)).toMatchObject({ status: 0 });
  });

  test('each read is sent to the real host over TLS, with the access token', () => {
    const { calls } = google.firestore.service;
    const documents = `/v1/projects/${PROJECT}/databases/(default)/documents`;
    expect(calls.slice(0, 2).map(({ path }) => path)).toEqual([
      `${documents}:batchGet?prettyPrint=false`,
      `${documents}:runQuery?prettyPrint=false`,
    ]);
    const authorization = `Bearer ${google.metadata.tokens[0]}`;
    for (const { headers } of calls) {
      expect(headers).toMatchObject({ host: 'firestore.googleapis.com', authorization });
    }
  });

  test('logs an error with stack frames of our source files', async () => {
    const key = await seedKey();
    const unreachable = {
      ...google.env,
      ...deployed().environment,
      FIRESTORE_EMULATOR_HOST: '127.0.0.1:1',
    };
    const failing = await startInstance(cwd, unreachable);
    expect(await send(failing.url, { key, target: '?email=a@example.com' })).toMatchObject({
      status: 500,
    });
    await expect.poll(failing.output).toMatch(/"stack":\["[^"]*index\.cjs:\d+:\d+/);
    await failing.stop();
  });

  test('writes nothing into its folder', () => {
    expect(contentOf(cwd)).toEqual(contents);
  });
}
