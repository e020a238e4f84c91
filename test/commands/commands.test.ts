// Tests the demonstration's output as a user sees it, and what `npm run emulators` says while another program, here the
// emulators of this run, has its ports.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EMULATOR_PORTS } from '../../tools/sandbox/emulatorAddresses.ts';
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

test('a taken port is named, with its owner and a way out', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/emulators.ts', 'true'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stderr).toMatch(
    new RegExp(
      `^Port ${EMULATOR_PORTS.auth}, which the auth emulator needs, is taken by .+ \\(process \\d+\\)\\. End that ` +
        'program, or change the port in firebase.json, and run the command again\\.\\n$',
    ),
  );
  expect(status).toBe(1);
});
