// Tests what `npm run emulators` says while another program, here the emulators of this run, has its ports.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { EMULATOR_PORTS } from '../../tools/sandbox/emulatorAddresses.ts';

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
