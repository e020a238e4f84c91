// Tests that the function completes the requests in flight and exits on SIGTERM.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { SHUTDOWN_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import { Relay } from '../../tools/doubles/relay.ts';
import {
  type ServedFunction,
  SILENT_CHANNEL,
  serveFunction,
} from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { connectTo, parseResponses } from '../support/rawHttp.ts';
import { randomWallet, seedKey, seedWallet } from '../support/seed.ts';
import { startWatch } from '../support/watch.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const IN_FLIGHT = 20;

test.each([
  ['', {}],
  [' of a server that was taken over with a request', SILENT_CHANNEL],
])(
  'requests in flight at SIGTERM get their responses, and their connections close%s',
  async (_, env) => {
    const relay = await Relay.to(process.env['FIRESTORE_EMULATOR_HOST']);
    const served = await serveFunction({ ...env, FIRESTORE_EMULATOR_HOST: relay.host });
    const agent = new Agent({ keepAlive: true });
    const [key, target] = [await seedKey(), `?wallet=${await seedWallet()}`];
    const request = { key, target, agent };
    expect((await send(served.url, request)).headers.connection).toBe('keep-alive');

    relay.freeze();
    const inFlight = Array.from({ length: IN_FLIGHT }, () =>
      send(served.url, request).then(
        ({ status, headers }) => `${status} ${headers.connection}`,
        String,
      ),
    );
    const leaving = await connectTo(served.url);
    leaving.write(`GET /${target} HTTP/1.1\r\nHost: x\r\nX-PoH-API-Key: ${key}\r\n\r\n`);
    // All requests wait for the database, each with two concurrent reads because the key is known.
    await expect.poll(() => relay.openCount).toBe(2 * IN_FLIGHT + 2);
    leaving.resetAndDestroy();
    const stopped = terminate(served);
    // The function no longer accepts connections.
    await expect.poll(() => accepts(served.url)).toBe(false);
    relay.thaw();
    expect(await Promise.all(inFlight)).toEqual(Array(IN_FLIGHT).fill('200 close'));
    // Nothing is left to wait for, although a caller has not waited for its response.
    expect(await stopped).toBeLessThan(SHUTDOWN_LIMIT_MS / 2);
    await relay.close();
    expect(served.process.exitCode).toBe(0);
  },
);

test('connections without a complete request do not delay the exit', async () => {
  const served = await serveFunction();
  const sockets = await Promise.all(
    // Unused, idle, with half a request, and with half a second request.
    ['', REQUEST, REQUEST.slice(0, -4), `${REQUEST}${REQUEST.slice(0, -4)}`].map(async (bytes) => {
      const socket = await connectTo(served.url);
      socket.write(bytes);
      return socket;
    }),
  );
  const received = sockets.map((socket) => text(socket));
  await expect.poll(() => served.output().split('"message":"lookup"').length).toBe(3);
  expect(await terminate(served)).toBeLessThan(SHUTDOWN_LIMIT_MS / 2);
  expect(served.process.exitCode).toBe(0);
  const counts = (await Promise.all(received)).map((wire) => parseResponses(wire).length);
  expect(counts).toEqual([0, 1, 0, 1]);
});

test('a request that is completed after SIGTERM gets its response, and its connection closes', async () => {
  const served = await serveFunction();
  const socket = await connectTo(served.url);
  const received = text(socket);
  // The first response shows that the first part of the second request has arrived.
  socket.write(`${REQUEST}${REQUEST.slice(0, -2)}`);
  await once(socket, 'data');
  const stopped = terminate(served);
  await expect.poll(() => connectionOf(served.url), { interval: 10 }).toBe('close');
  socket.write('\r\n');
  const [, response] = parseResponses(await received);
  expect(response).toMatchObject({ status: 401, headers: { connection: 'close' } });
  await stopped;
  expect(served.process.exitCode).toBe(0);
});

test('the process ends within 10 seconds, even if a request that was completed later is in flight', async () => {
  const relay = await Relay.to(process.env['FIRESTORE_EMULATOR_HOST']);
  const served = await serveFunction({ FIRESTORE_EMULATOR_HOST: relay.host });
  relay.freeze();
  const request = `GET /?wallet=${randomWallet()} HTTP/1.1\r\nHost: x\r\nX-PoH-API-Key: x\r\n\r\n`;
  const [first, second] = [await connectTo(served.url), await connectTo(served.url)];
  first.write(request);
  second.write(request.slice(0, -2));
  await expect.poll(() => relay.heldCount).toBe(1);
  const stopped = terminate(served);
  setTimeout(() => second.write('\r\n'), SHUTDOWN_LIMIT_MS / 2);
  expect(await stopped).toBeLessThan(10_000);
  expect(served.process.exitCode).toBe(0);
  await relay.close();
});

test('connections that are opened at SIGTERM get responses', async () => {
  const served = await serveFunction();
  await connectionOf(served.url);
  const opening = Array.from({ length: IN_FLIGHT }, () => connectionOf(served.url));
  const stopped = terminate(served);
  // The shutdown has begun after the first of these.
  await expect.poll(() => connectionOf(served.url), { interval: 1 }).toBe('close');
  const opened = Array.from({ length: IN_FLIGHT }, () => connectionOf(served.url));
  expect((await Promise.all(opening)).every(Boolean)).toBe(true);
  expect(await Promise.all(opened)).toEqual(Array(IN_FLIGHT).fill('close'));
  await stopped;
  expect(served.process.exitCode).toBe(0);
});

/** Sends SIGTERM, and waits for the process to exit. @returns the milliseconds until then on the stopwatch */
async function terminate(served: ServedFunction): Promise<number> {
  const watch = startWatch(served);
  let ranMs = 0;
  // The system forgets how long a process has waited when it exits.
  const timer = setInterval(() => {
    ranMs = watch();
  }, 10);
  const exited = once(served.process, 'exit');
  served.process.kill('SIGTERM');
  await exited;
  clearInterval(timer);
  return ranMs;
}

/** Sends a request on a new connection that may stay open. @returns the header Connection of the response */
async function connectionOf(url: string): Promise<string | undefined> {
  const agent = new Agent({ keepAlive: true });
  const { headers } = await send(url, { agent });
  agent.destroy();
  return headers.connection;
}

async function accepts(url: string): Promise<boolean> {
  try {
    (await connectTo(url)).destroy();
    return true;
  } catch {
    return false;
  }
}
