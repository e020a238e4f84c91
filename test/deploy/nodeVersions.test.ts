// Runs the built function on the versions of Node that Google may put under it, on its own server and on the way back to
// Google's framework. Google updates Node without asking, so the newest ones are no fixed versions.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFunction, underGooglesFramework } from '../../tools/sandbox/servedFunction.ts';
import { expectOk, runAdmin } from '../cli/adminCommand.ts';
import { loggedEntries, send } from '../support/http.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const PACKAGE = `node-${process.platform}-${process.arch}`;
/** `smoke` compares the signatures with the published set of public keys, which has no key. */
const UNSIGNED = { RESPONSE_SIGNING_KEY: '' };
const folder = temporaryFolder();
const key = await seedKey();
const keyFile = join(folder, 'key');
writeFileSync(keyFile, key, { mode: 0o600 });
const target = `?wallet=${await seedWallet({ attestationType: 0 })}`;

/** @returns the path of the program */
function installNode(version: string): string {
  const prefix = join(folder, version);
  const words = ['install', '--prefix', prefix, '--no-save', '--quiet', '--no-fund', '--no-audit'];
  execFileSync('npm', [...words, `${PACKAGE}@${version}`], { stdio: 'pipe' });
  return join(prefix, 'node_modules', PACKAGE, 'bin/node');
}

describe.each(['22', '24.0.0', '24', '26'])('Node %s', (version) => {
  const node = installNode(version);
  test.each([
    ['its own server', undefined, [{ severity: 'INFO', message: 'started', server: 'own' }]],
    ["Google's framework", underGooglesFramework(), [{ severity: 'WARNING' }]],
  ])('responds, logs and ends as ever on %s', async (_, program, logged) => {
    const served = await startFunction(UNSIGNED, program, node);
    onTestFinished(served.stop);
    await served.listening;
    // Under Google's framework, this takes the server over.
    expect(await send(served.url, { key, target })).toMatchObject({ status: 200 });
    expectOk(await runAdmin(['smoke', '--url', served.url, '--key-file', keyFile]));
    const body = '{"subject of a caller';
    const headers = { 'Content-Type': 'application/json' };
    const posted = await send(served.url, { method: 'POST', body, headers });
    expect(posted).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
    const icon = await send(served.url, { target: '/favicon.ico' });
    expect(icon).toMatchObject({ status: 404, json: { code: 'not_found' } });

    served.process.kill('SIGTERM');
    expect(await once(served.process, 'exit')).toEqual([0, null]);
    const instance = {
      commit: expect.any(String),
      node: expect.stringMatching(`^v${version}\\b`),
    };
    const entries = loggedEntries(served.output()).filter(({ message }) => message !== 'lookup');
    expect(entries).toMatchObject(logged.map((entry) => ({ ...entry, ...instance })));
    expect(served.output()).not.toContain(body);
  });
});
