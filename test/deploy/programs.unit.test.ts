// Runs real programs as a deployment does: a gcloud of this test's own, and firebase-tools' own readers of its files.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../deploy/google.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { PROJECT, runOn, SETTINGS, StandIn } from './standIn.ts';

test('gcloud gets each word as it is, asks nothing, and writes no key into its log files', async () => {
  const folder = temporaryFolder();
  const script =
    '#!/bin/sh\nprintf "%s\\n" "$@"\nprintenv CLOUDSDK_CORE_DISABLE_PROMPTS CLOUDSDK_CORE_DISABLE_FILE_LOGGING GOOGLE_CLOUD_QUOTA_PROJECT\necho refused >&2\nexit 3\n';
  writeFileSync(join(folder, 'gcloud'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: string[] = [];
  const words = ['logging', 'a "b" (c)', '^;^name=x;filter=$y'];
  const outcome = await runProgram((line) => said.push(line))('gcloud', words, {
    project: PROJECT,
  });
  expect(outcome).toEqual({
    status: 3,
    output: [...words, '1', '1', PROJECT, ''].join('\n'),
    errors: 'refused\n',
  });
  expect(said).toContain('    refused');
});

test('a token is never shown', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gcloud'), '#!/bin/sh\necho secret\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: string[] = [];
  const words = ['auth', 'print-access-token'];
  const { output } = await runProgram((line) => said.push(line))('gcloud', words);
  expect([output, said]).toEqual(['secret\n', []]);
});

test('without gcloud, it says where to get it', async () => {
  vi.stubEnv('PATH', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(runProgram(() => undefined)('gcloud', ['version'])).rejects.toThrow(
    'gcloud is not installed. See https://cloud.google.com/sdk/docs/install.',
  );
});

/** firebase-tools has no types for these modules. */
const require = createRequire(import.meta.url);
const { RC } = require('firebase-tools/lib/rc.js');
const { loadUserEnvs } = require('firebase-tools/lib/functions/env.js');

test('firebase-tools reads the sites and the parameters that follow from the settings', async () => {
  const cloud = new StandIn(SETTINGS);
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  const { root } = cloud.folders;
  const rc = RC.loadFile(join(root, '.firebaserc'));
  expect(rc.requireTarget(PROJECT, 'hosting', 'console')).toEqual([SETTINGS.consoleSite]);
  expect(rc.requireTarget(PROJECT, 'hosting', 'site')).toEqual([SETTINGS.pagesSite]);
  expect(
    loadUserEnvs({ projectDir: root, functionsSource: root, configDir: root, projectId: PROJECT }),
  ).toEqual({
    LOOKUP_SERVICE_ACCOUNT: `poh-lookup@${PROJECT}.iam.gserviceaccount.com`,
    LOOKUP_REGION: 'us-central1',
    LOOKUP_MAX_INSTANCES: '10',
    LOOKUP_READS_PER_SECOND: '2000',
    LOOKUP_VERIFIED_EMAIL_ONLY: 'true',
  });
});

/** @returns the options with which Node finds these public keys in the repository */
function withKeys(...keys: readonly object[]): string[] {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => url.endsWith('/publicKeys.json')
      ? { format: 'json', source: '${JSON.stringify({ keys })}', shortCircuit: true } : next(url, context) });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
}

test('the build refuses a set of public keys that is not valid', () => {
  const words = [...withKeys({}), 'tools/build.ts', temporaryFolder()];
  expect(spawnSync(process.execPath, words, { encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('publicKeys.json is not a valid set of public keys. Restore'),
  });
});

// firebase-tools does not deploy a function whose secret was deleted.
test.each([
  ['an active key', [{ key: 'RESPONSE_SIGNING_KEY' }], [{}]],
  ['only retired and leaked keys', [], [{ exp: 1 }, { revoked: {} }]],
])('with %s, a deployment gets the secrets %j', (_, secrets, keys) => {
  const script = `globalThis.COMMIT = '';
    const { pohAttestationsEndpoint } = await import('./functions/src/index.ts');
    console.log(JSON.stringify(pohAttestationsEndpoint.__endpoint));`;
  const words = [...withKeys(...keys), '--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ secretEnvironmentVariables: secrets });
});
