// Starts the built framework as Google's builder does, with an environment in which it cannot serve.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../../tools/sandbox/demonstrationKey.ts';
import { portOf } from '../../tools/sandbox/freePort.ts';

const USABLE = {
  FUNCTION_TARGET: ENDPOINT_NAME,
  PORT: '1',
  GCLOUD_PROJECT: 'demo-poh',
};
const PEM = pemOf(DEMONSTRATION_SIGNING_KEY);
const server = createServer();

test.each([
  ['no target', { FUNCTION_TARGET: '' }, `Set FUNCTION_TARGET to ${ENDPOINT_NAME}.`],
  ['another target', { FUNCTION_TARGET: 'other' }, 'Set FUNCTION_TARGET to'],
  ['no port', { PORT: '' }, 'Set PORT to a number from 1 to 65535.'],
  ['a word as port', { PORT: '80x' }, 'Set PORT to a number'],
  ['the port 0', { PORT: '0' }, 'Set PORT to a number'],
  ['a port that is too large', { PORT: '65536' }, 'Set PORT to a number'],
  ['no project', { GCLOUD_PROJECT: '' }, 'set GCLOUD_PROJECT'],
  ['a wrong parameter', { LOOKUP_READS_PER_SECOND: '-1' }, 'Correct LOOKUP_READS_PER_SECOND'],
  ['a switch in capitals', { LOOKUP_VERIFIED_EMAIL_ONLY: 'TRUE' }, 'Correct LOOKUP_VERIFIED_EM'],
  ['an unusable signing key', { RESPONSE_SIGNING_KEY: 'x' }, 'RESPONSE_SIGNING_KEY is not an'],
  ['an unpublished signing key', { RESPONSE_SIGNING_KEY: PEM }, 'which is not an active key of'],
])('%s is one clear line, and exit status 1', (_, env, message) => {
  expectRefusal(env, message);
});

test('a port in use on any address is one clear line, and exit status 1', async () => {
  // The function listens on every address, as Cloud Run's requests need it.
  await once(server.listen(0, '127.0.0.2'), 'listening');
  const port = portOf(server);
  onTestFinished(() => void server.close());
  expectRefusal({ PORT: `${port}` }, `Port ${port} cannot be used (EADDRINUSE).`);
});

function expectRefusal(env: Record<string, string>, message: string): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['functions/lib/framework/index.cjs'],
    { env: { ...USABLE, ...env }, encoding: 'utf8', timeout: 20_000 },
  );
  const lines = `${stdout}${stderr}`.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(PEM.split('\n')[1]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    severity: 'ERROR',
    message: expect.stringContaining(message),
    commit: expect.any(String),
  });
  expect(status).toBe(1);
}
