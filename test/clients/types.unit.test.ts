// Tests that type checkers accept what users of the Python client do, and find their mistakes. A bundle of the TypeScript
// client contains nothing of Node.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { HTTPX, PYTHON_ENV } from './drivers.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILES = ['clients/python/poh_attestations', 'test/clients/usage.py'];
const PYRIGHT = ['node_modules/pyright/index.js', '--pythonversion=3.9', 'test/clients/driver.py'];
const CHECKERS = [
  ['pyright', process.execPath, ...PYRIGHT],
  // Pyright checks what the client passes to httpx, which takes mypy ten seconds.
  ['mypy', 'mypy', '--strict', '--follow-imports=skip', '--cache-dir=node_modules/.cache/mypy'],
] as const;

test.skipIf(!HTTPX).for(CHECKERS)(
  '%s finds only the mistakes',
  ([, command, ...words], { skip }) => {
    const env = { ...process.env, ...PYTHON_ENV, MYPYPATH: 'clients/python' };
    const options = { cwd: ROOT, env, encoding: 'utf8' } as const;
    const { stdout, error } = spawnSync(command, [...words, ...FILES], options);
    skip(error !== undefined, `${command} is not installed`);
    expect(stdout).toMatch(/^(0 errors, 0 warnings|Success: no issues found)/);
  },
);

test('a bundle for browsers or edge runtimes contains nothing of Node', async () => {
  const contents = "export { Client } from './clients/typescript/client.ts'";
  const stdin = { contents, resolveDir: ROOT };
  const { outputFiles } = await build({ stdin, bundle: true, platform: 'browser', write: false });
  expect(outputFiles[0]?.text).toContain('X-PoH-API-Key');
  expect(outputFiles[0]?.text).not.toMatch(/node:|\bBuffer\b|\bprocess\./);
});
