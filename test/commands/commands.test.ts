// Tests the demonstration's output as a user sees it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TEST_SUBJECTS } from '../../tools/sandbox/testSubjects.ts';

test('the demonstration shows each test subject with its response', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['tools/demo.ts']);
  const shown = stdout.matchAll(/^✔ (\d+) (.+)\nGET \S+\?.*\n\{\n/gm);
  expect([...shown].map(([, status, what]) => `${status} ${what}`)).toEqual(
    TEST_SUBJECTS.map(({ status, what }) => `${status} ${what}`),
  );
  expect(stdout.match(/"votedCount": 2,/g)).toHaveLength(3);
  expect(stderr).toBe('');
});
