// On SIGTERM the function finishes what it holds, as the platform asks of it before an instance ends.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serveFunction } from '../../testbed/servedFunction.ts';
import { relayTo } from '../../testbed/tcpRelay.ts';
import { send } from './support/http.ts';
import { seedKey, seedWallet } from './support/seed.ts';

const HELD = 20;

test('the requests that are held at SIGTERM are answered, then the process ends', async () => {
  const relay = await relayTo(process.env['FIRESTORE_EMULATOR_HOST']);
  const served = await serveFunction({ FIRESTORE_EMULATOR_HOST: relay.host });
  const request = { key: await seedKey(), target: `?wallet=${await seedWallet()}` };
  expect((await send(served.url, request)).status).toBe(200);

  relay.freeze();
  const held = Array.from({ length: HELD }, () => send(served.url, request));
  // Long enough for all of them to be read and waiting for the database.
  await expect.poll(() => relay.isHolding()).toBe(true);
  await pause(200);
  const stopped = served.stop();
  await pause(200);
  relay.thaw();
  const answers = await Promise.all(held);
  await stopped;
  await relay.close();
  expect(answers.map(({ status }) => status)).toEqual(Array(HELD).fill(200));
  expect(served.process.exitCode).toBe(0);
});
