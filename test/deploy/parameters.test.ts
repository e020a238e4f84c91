// Tests the parameters of a deployment as firebase-tools reads them. Like firebase-tools, this test loads the built
// function in a separate process, because it reads its environment while it loads.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { parseEnv } from 'node:util';
import { expect, test, vi } from 'vitest';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import { freePort } from '../../tools/sandbox/freePort.ts';
import { ROOT, textOf } from './repository.ts';

const values = parseEnv(textOf('.env'));
/** Otherwise firebase-tools would wait 10 seconds in every deployment before it kills the process. */
const EXITS_WITHIN_MS = 9_000;

const PORT = `${await freePort()}`;
const child = spawn(`${ROOT}node_modules/.bin/firebase-functions`, ['.'], {
  cwd: `${ROOT}functions/lib`,
  env: { ...process.env, PORT, FUNCTIONS_CONTROL_API: 'true', GCLOUD_PROJECT: EMULATED_PROJECT },
  timeout: 2 * EXITS_WITHIN_MS,
  killSignal: 'SIGKILL',
});
const exit = once(child, 'exit');
const request = (path: string) =>
  fetch(`http://localhost:${PORT}/__/${path}`, { headers: { Connection: 'close' } });
// The process says that it serves before it listens.
const response = await vi.waitFor(() => request('functions.yaml'), { timeout: EXITS_WITHIN_MS });
const { params, endpoints } = JSON.parse(await response.text());
const parameters: readonly { name: string; default?: unknown }[] = params;

test('the process from which firebase-tools reads the parameters exits on request', async () => {
  await request('quitquitquit');
  expect(await exit).toEqual([0, null]);
});

/** Loads the built function without a project. */
const load = (env: Record<string, string>) =>
  spawnSync(process.execPath, [`${ROOT}functions/lib/index.cjs`], {
    env,
    encoding: 'utf8',
    timeout: EXITS_WITHIN_MS,
  });

test.each([
  {},
  { LOOKUP_VERIFIED_EMAIL_ONLY: '', LOOKUP_READS_PER_SECOND: '' },
  { LOOKUP_VERIFIED_EMAIL_ONLY: 'false', LOOKUP_READS_PER_SECOND: '0' },
])('the function loads without a project, as while Google builds it: %j', (env) => {
  expect(load(env)).toMatchObject({ status: 0, stderr: '' });
});

// firebase-tools sets any value.
test.each([
  ['LOOKUP_VERIFIED_EMAIL_ONLY', ['TRUE', '1', 'yes', ' true']],
  ['LOOKUP_READS_PER_SECOND', ['none', '2k', '2,000', '-1', '9007199254740993']],
])('the function does not start with another form of %s', (name, forms) => {
  for (const form of forms) {
    const { status, stderr } = load({ [name]: form });
    expect([form, status, stderr]).toEqual([form, 1, expect.stringContaining(`Correct ${name} `)]);
  }
});

// A deployment without a terminal stops at a parameter without a value, even if it has a default.
test('each parameter has a value, which is its default, so deployments do not prompt', () => {
  // A secret has no default, and no file contains its value.
  const defaults = parameters.filter((one) => one.default !== undefined);
  expect(values).toEqual(
    Object.fromEntries(defaults.map((one) => [one.name, String(one.default)])),
  );
});

/** With an invoker, each later deployment would fail where a policy forbids to let everybody call the function. */
test('firebase-tools lets everybody call a new function, and leaves the callers of an existing one alone', () => {
  expect(endpoints.pohAttestationsEndpoint.httpsTrigger).toEqual({});
});

test.each([
  ['region', 'LOOKUP_REGION', 'us-central1', "the region of the emulators' addresses"],
  ['serviceAccountEmail', 'LOOKUP_SERVICE_ACCOUNT', '', "Google Cloud's default account"],
  ['maxInstances', 'LOOKUP_MAX_INSTANCES', '10', 'the cap that docs/deploy.md prices'],
])('%s is the parameter %s, whose default is %j, %s', (option, name, value) => {
  expect([endpoints.pohAttestationsEndpoint[option]].flat()).toEqual([`{{ params.${name} }}`]);
  expect(values[name]).toBe(value);
});
