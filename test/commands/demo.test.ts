// Tests the demonstration's output as a user sees it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ERROR_CODES, ERRORS } from '../../functions/src/errors.ts';

const DEMO = fileURLToPath(new URL('../../tools/demo.ts', import.meta.url));

/** No request to the Functions emulator causes these. */
const NOT_SHOWN = ['malformed_request', 'mode_not_allowed', 'rate_limited', 'internal'];

test('the demonstration shows every mode and every error', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
  expect(stdout).not.toContain('✘');
  expect(stdout.match(/^✔ 200 By/gm)).toHaveLength(4);
  expect(stdout.match(/"votedCount": 2,/g)).toHaveLength(3);
  expect(stdout.match(/"status": "pending"/g)).toHaveLength(1);
  for (const code of ERROR_CODES.filter((code) => !NOT_SHOWN.includes(code))) {
    expect(stdout).toMatch(
      new RegExp(`^✔ ${ERRORS[code].status} .*\\n.*\\n[^}]*"code": "${code}"`, 'm'),
    );
  }
  expect(stderr).toBe('');
});
