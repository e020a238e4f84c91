// Tests the demonstration's output as a user sees it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TEST_SUBJECTS } from '../../tools/sandbox/testSubjects.ts';

test('the demonstration shows each test subject with its response', async () => {
  // That of a company, which cannot be asked for this machine.
  const env = { ...process.env, https_proxy: 'http://127.0.0.1:9' };
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ['tools/demo.ts'], { env });
  const shown = stdout.matchAll(/^✔ (\d+) (.+)\nGET \S+\?.*\n\{\n/gm);
  expect([...shown].map(([, status, what]) => `${status} ${what}`)).toEqual(
    TEST_SUBJECTS.map(({ status, what }) => `${status} ${what}`),
  );
  expect(stdout.match(/"votedCount": 2,/g)).toHaveLength(3);
  expect(stderr).toBe('');
});
