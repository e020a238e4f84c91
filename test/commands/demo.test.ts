// Tests the demonstration's output as a user sees it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checksWith } from '../../cli/smoke/checks.ts';
import { ERRORS } from '../../functions/src/errors.ts';

const DEMO = fileURLToPath(new URL('../../tools/demo.ts', import.meta.url));

test('the demonstration shows every mode, and every error that smoke causes', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
  expect(stdout).not.toContain('✘');
  expect(stdout.match(/^✔ 200 By/gm)).toHaveLength(4);
  expect(stdout.match(/"votedCount": 2,/g)).toHaveLength(3);
  expect(stdout.match(/"status": "pending"/g)).toHaveLength(1);
  for (const { expected: code } of checksWith('key')) {
    const status = code === 'ok' ? 200 : ERRORS[code].status;
    const body = code === 'ok' ? '' : `[^}]*"code": "${code}"`;
    expect(stdout).toMatch(new RegExp(`^✔ ${status} .*\\n.*\\n${body}`, 'm'));
  }
  expect(stderr).toBe('');
});
