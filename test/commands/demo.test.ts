// Tests the demonstration's output as a user sees it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../functions/src/errors.ts';

const DEMO = fileURLToPath(new URL('../../tools/demo.ts', import.meta.url));

/** No request to the Functions emulator causes these. */
const NOT_SHOWN = ['malformed_request', 'internal'];

test('the demonstration shows every mode and every error', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line.startsWith('✘'))).toEqual([]);
  const calls = lines.filter((line) => line.startsWith('✔ ')).length;
  for (const code of ERROR_CODES.filter((code) => !NOT_SHOWN.includes(code))) {
    expect(stdout).toContain(`"code": "${code}"`);
  }
  expect(stdout).toContain(`${calls} of ${calls} calls returned the expected response.`);
  expect(stderr).toBe('');
});
