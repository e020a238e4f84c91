// The demonstration, as a person sees it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url));

test('the demonstration shows each response as expected, in at most 100 columns', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.filter((line) => line.startsWith('✘'))).toEqual([]);
  const calls = lines.filter((line) => line.startsWith('── '));
  expect(lines.filter((line) => line === '✔ as expected')).toHaveLength(calls.length);
  expect(stdout).toContain(`${calls.length} of ${calls.length} calls returned what was expected.`);
  expect(stderr).toBe('');
});
