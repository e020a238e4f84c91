// Tests the types of the Python client: what the guide does has no error, and mistakes do. usage.ts has the mistakes
// for TypeScript. Bundles for browsers and edge runtimes contain nothing of Node.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { PYTHON_ENV } from './drivers.ts';
import { HTTPX } from './httpx.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe.skipIf(!HTTPX)('Python', () => {
  const usage = readFileSync(new URL('usage.py', import.meta.url), 'utf8').split('\n');
  const wrong = usage.flatMap((line, index) => (line.endsWith('# WRONG') ? [index + 1] : []));
  const files = ['clients/python/poh_attestations.py', 'test/clients/usage.py'];
  const env = {
    ...process.env,
    ...PYTHON_ENV,
    MYPYPATH: 'clients/python',
    MYPY_CACHE_DIR: '/dev/null',
  };
  const run = (command: string, ...words: readonly string[]) =>
    spawnSync(command, [...words, ...files], { cwd: ROOT, env, encoding: 'utf8' });

  test('pyright finds only the mistakes', () => {
    const words = ['node_modules/pyright/index.js', '--pythonversion', '3.9', '--outputjson'];
    const { generalDiagnostics } = JSON.parse(run(process.execPath, ...words).stdout);
    const found = generalDiagnostics.map(
      ({ file, range }: { file: string; range: { start: { line: number } } }) =>
        `${file.slice(ROOT.length)}:${range.start.line + 1}`,
    );
    expect(found).toEqual(wrong.map((line) => `${files[1]}:${line}`));
  });

  test.skipIf(spawnSync('mypy', ['--version']).status !== 0)(
    'mypy --strict finds only the mistakes',
    () => {
      const { stdout } = run('mypy', '--strict', '--no-error-summary', '--hide-error-context');
      const found = stdout.split('\n').filter((line) => line.includes(': error: '));
      expect(found.map((line) => line.split(': ')[0])).toEqual(
        wrong.map((line) => `${files[1]}:${line}`),
      );
    },
  );
});

test('a bundle for browsers or edge runtimes contains nothing of Node', async () => {
  const contents = "export { Client } from './clients/typescript/index.ts'";
  const stdin = { contents, resolveDir: ROOT };
  const { outputFiles } = await build({ stdin, bundle: true, platform: 'browser', write: false });
  expect(outputFiles[0]?.text).toContain('X-PoH-API-Key');
  expect(outputFiles[0]?.text).not.toMatch(/node:|\bBuffer\b|\bprocess\b/);
});
