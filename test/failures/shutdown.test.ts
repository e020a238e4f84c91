// On SIGTERM the requests in flight are responded to, and nothing else keeps the process.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Relay } from '../../doubles/relay.ts';
import { serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { connectTo, parseResponses } from '../support/rawHttp.ts';
import { seedKey, seedWallet } from '../support/seed.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const IN_FLIGHT = 20;
/** What the platform leaves an instance. */
const PLATFORM_LIMIT_MS = 10_000;

test('the requests in flight at SIGTERM are responded to, and their connections end', async () => {
  const relay = await Relay.to(process.env['FIRESTORE_EMULATOR_HOST']);
  const served = await serveFunction({ FIRESTORE_EMULATOR_HOST: relay.host });
  const agent = new Agent({ keepAlive: true });
  const request = { key: await seedKey(), target: `?wallet=${await seedWallet()}`, agent };
  expect((await send(served.url, request)).headers.connection).toBe('keep-alive');

  relay.freeze();
  const inFlight = Array.from({ length: IN_FLIGHT }, () => send(served.url, request));
  // All of them wait for the database: the key is known, so each makes its two reads at once.
  await expect.poll(() => relay.open).toBe(2 * IN_FLIGHT);
  const stopped = served.stop();
  // The end has begun.
  await expect.poll(() => accepts(served.url)).toBe(false);
  relay.thaw();
  const responses = await Promise.all(inFlight);
  await stopped;
  await relay.close();
  const seen = responses.map(({ status, headers }) => `${status} ${headers.connection}`);
  expect(seen).toEqual(Array(IN_FLIGHT).fill('200 close'));
  expect(served.process.exitCode).toBe(0);
});

test(
  'connections without a whole request do not keep the process',
  async () => {
    const served = await serveFunction();
    const sockets = await Promise.all(
      // Unused, idle, half a request, and half a second one.
      ['', REQUEST, REQUEST.slice(0, -4), `${REQUEST}${REQUEST.slice(0, -4)}`].map(
        async (bytes) => {
          const socket = await connectTo(served.url);
          socket.write(bytes);
          return socket;
        },
      ),
    );
    const received = sockets.map((socket) => text(socket));
    await expect.poll(() => served.output().split('"message":"lookup"').length).toBe(3);
    await served.stop();
    expect(served.process.exitCode).toBe(0);
    const counts = (await Promise.all(received)).map((wire) => parseResponses(wire).length);
    expect(counts).toEqual([0, 1, 0, 1]);
  },
  PLATFORM_LIMIT_MS,
);

test('a request that arrives with SIGTERM is responded to, and its connection ends', async () => {
  const served = await serveFunction();
  const socket = await connectTo(served.url);
  const received = text(socket);
  // The response to the first shows that the half of the second has arrived.
  socket.write(`${REQUEST}${REQUEST.slice(0, -2)}`);
  await once(socket, 'data');
  const stopped = served.stop();
  await expect.poll(() => accepts(served.url), { interval: 10 }).toBe(false);
  socket.write('\r\n');
  const [, response] = parseResponses(await received);
  expect(response).toMatchObject({ status: 401, headers: { connection: 'close' } });
  await stopped;
  expect(served.process.exitCode).toBe(0);
});

async function accepts(url: string): Promise<boolean> {
  try {
    (await connectTo(url)).destroy();
    return true;
  } catch {
    return false;
  }
}
