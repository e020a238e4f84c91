// Tests the parameters of a deployment, and that firebase-tools can read the function's options.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { declaredParams } from 'firebase-functions/params';
import { expect, test } from 'vitest';
import { pohAttestationsEndpoint } from '../../functions/src/index.ts';
import { freePort } from '../../sandbox/freePort.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const values = parseEnv(readFileSync(`${ROOT}.env`, 'utf8'));

const declared = Object.fromEntries(
  // A secret has no default, and no file contains its value.
  declaredParams.flatMap(({ name, options }) =>
    'default' in options ? [[name, String(options.default)]] : [],
  ),
);

// A deployment without a terminal stops at a parameter without a value, even if it has a default.
test('each deploy parameter has a value, so deployments do not prompt', () => {
  expect(Object.keys(values).sort()).toEqual(Object.keys(declared).sort());
});

const { serviceAccountEmail, region, maxInstances } = pohAttestationsEndpoint.__endpoint;

test.each([
  ['LOOKUP_REGION', 'us-central1', "the region of the emulators' addresses", String(region)],
  ['LOOKUP_SERVICE_ACCOUNT', '', "the platform's default account", String(serviceAccountEmail)],
  ['LOOKUP_MAX_INSTANCES', '10', 'the cap that docs/capacity.md prices', String(maxInstances)],
])('%s is %j by default, which is %s', (name, delivered, _meaning, used) => {
  expect(values[name]).toBe(delivered);
  expect(declared[name]).toBe(delivered);
  expect(used).toBe(`params.${name}`);
});

// Otherwise firebase-tools would wait 10 seconds in every deployment before it kills the process.
test('the process from which firebase-tools reads the options exits on request', {
  timeout: 40_000,
}, async () => {
  const port = await freePort();
  const child = spawn(`${ROOT}node_modules/.bin/firebase-functions`, ['.'], {
    cwd: `${ROOT}functions/lib`,
    env: { ...process.env, PORT: String(port), FUNCTIONS_CONTROL_API: 'true' },
  });
  try {
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    await expect.poll(() => output, { timeout: 15_000 }).toContain(`Serving at port ${port}`);
    const request = (path: string) =>
      fetch(`http://localhost:${port}/__/${path}`, { headers: { Connection: 'close' } });
    expect(await (await request('functions.yaml')).json()).toHaveProperty('endpoints');
    await request('quitquitquit');
    const signal = AbortSignal.timeout(20_000);
    expect(await once(child, 'exit', { signal })).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
