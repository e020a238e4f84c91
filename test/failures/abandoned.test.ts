// Work ends with the lookup that started it, and a connection's concurrent requests are bounded.

import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PIPELINED_MAX } from '../../functions/src/platform/pipelining.ts';
import { serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { connectTo, parseResponses } from '../support/rawHttp.ts';
import { randomWallet, seedKey } from '../support/seed.ts';
import { type AccountFault, createEndlessAccounts } from './endlessAccounts.ts';
import { createPreparedFirestore } from './preparedFirestore.ts';

/** What a response may have in the buffers of the operating system on its way. */
const SENT_MAX_BYTES = 64 * 1024 ** 2;

describe('a call of Authentication', () => {
  test.each(['hanging', 'endless'] satisfies AccountFault[])(
    '%s ends with its lookup',
    async (fault) => {
      const accounts = await createEndlessAccounts(fault);
      const served = await serveFunction({ FIREBASE_AUTH_EMULATOR_HOST: accounts.host });
      onTestFinished(async () => {
        await served.stop();
        accounts.close();
      });
      const { status } = await send(served.url, { key: await seedKey(), target: '?email=a@b.co' });
      expect(status).toBe(500);
      expect(accounts.calls()).toBe(1);
      await expect.poll(accounts.callsInFlight).toBe(0);
      expect(accounts.sent()).toBeLessThan(SENT_MAX_BYTES);
    },
  );
});

const request = (wallet: string): string =>
  `GET /?wallet=${wallet} HTTP/1.1\r\nHost: x\r\nX-PoH-API-Key: key\r\n\r\n`;

test('requests sent without waiting: as many as an instance takes, then the connection ends', async () => {
  const firestore = await createPreparedFirestore(1);
  const served = await serveFunction({ FIRESTORE_EMULATOR_HOST: firestore.host });
  onTestFinished(async () => {
    await served.stop();
    firestore.close();
  });
  const socket = await connectTo(served.url);
  socket.write(request(randomWallet()).repeat(PIPELINED_MAX * 3));
  const responses = parseResponses(await text(socket));
  expect(responses.map(({ status }) => status)).toEqual(Array(PIPELINED_MAX).fill(200));
  expect(responses.at(-1)?.headers['connection']).toBe('close');
});
