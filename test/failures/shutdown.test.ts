// Tests that the function completes the requests in flight and exits on SIGTERM.

import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { LINGER_MS, SHUTDOWN_CHECK_MS, SHUTDOWN_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import {
  type ServedFunction,
  serveFunction,
  underGooglesFramework,
} from '../../tools/sandbox/servedFunction.ts';
import { altered, unanswered } from '../doubles/callFaults.ts';
import { forwardTo, ServiceDouble } from '../doubles/serviceDouble.ts';
import { connectTo, parseResponses, send } from '../support/http.ts';
import { randomWallet, seedKey, seedWallet } from '../support/seed.ts';
import { startWatch } from '../support/watch.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const IN_FLIGHT = 5;

/** Between the function and the emulator. */
const firestore = new ServiceDouble(forwardTo(`http://${process.env['FIRESTORE_EMULATOR_HOST']}`));
const server = createServer(firestore.serve);
const withDouble = { FIRESTORE_EMULATOR_HOST: `127.0.0.1:${await listen(server)}` };
afterAll(() => server.close().closeAllConnections());

test.each([
  ['', undefined],
  [" of Google's framework", underGooglesFramework()],
])(
  'requests in flight at SIGTERM get their responses, and their connections close%s',
  async (_, program) => {
    const served = await serveFunction(withDouble, program);
    const agent = new Agent({ keepAlive: true });
    const [key, wallet] = [await seedKey(), await seedWallet()];
    const request = { key, target: `?wallet=${wallet}`, agent };
    expect((await send(served.url, request)).headers.connection).toBe('keep-alive');

    const released = Promise.withResolvers<void>();
    firestore.failAll(
      wallet,
      altered((body) => released.promise.then(() => body)),
    );
    const inFlight = Array.from({ length: IN_FLIGHT }, () =>
      send(served.url, request).then(
        ({ status, headers }) => `${status} ${headers.connection}`,
        String,
      ),
    );
    const leaving = await connectTo(served.url);
    leaving.write(`GET /?wallet=${wallet} HTTP/1.1\r\nHost: x\r\nX-PoH-API-Key: ${key}\r\n\r\n`);
    await expect.poll(() => firestore.inFlight).toBe(IN_FLIGHT + 1);
    leaving.resetAndDestroy();
    const stopped = terminate(served);
    // The function no longer accepts connections.
    await expect.poll(() => accepts(served.url)).toBe(false);
    released.resolve();
    expect(await Promise.all(inFlight)).toEqual(Array(IN_FLIGHT).fill('200 close'));
    // Nothing is left to wait for, although a caller has not waited for its response.
    expect(await stopped, 'milliseconds from SIGTERM to the exit').toBeLessThan(
      SHUTDOWN_LIMIT_MS / 2,
    );
    expect(served.process.exitCode, 'exit status').toBe(0);
  },
);

test('connections without a complete request do not delay the exit, and one that is completed in time gets its response', async () => {
  const served = await serveFunction();
  const sockets = await Promise.all(
    // Unused, idle, with half a request, and twice with half a second request.
    ['', REQUEST, REQUEST.slice(0, -4), ...Array(2).fill(`${REQUEST}${REQUEST.slice(0, -2)}`)].map(
      async (bytes) => {
        const socket = await connectTo(served.url);
        socket.write(bytes);
        return socket;
      },
    ),
  );
  const received = sockets.map((socket) => text(socket));
  await expect.poll(() => served.output().split('"message":"lookup"').length).toBe(4);
  const stopped = terminate(served);
  await expect.poll(() => connectionOf(served.url), { interval: 10 }).toBe('close');
  sockets.at(-1)?.write('\r\n');
  expect(await stopped, 'milliseconds from SIGTERM to the exit').toBeLessThan(
    SHUTDOWN_LIMIT_MS / 2,
  );
  expect(served.process.exitCode, 'exit status').toBe(0);
  const responses = (await Promise.all(received)).map(parseResponses);
  expect(responses.map(({ length }) => length)).toEqual([0, 1, 0, 1, 2]);
  expect(responses.at(-1)?.at(-1)).toMatchObject({ status: 401, headers: { connection: 'close' } });
});

test('the process ends within 10 seconds, even if a request that was completed later is in flight', async () => {
  const served = await serveFunction(withDouble);
  firestore.failAll('batchGet', unanswered);
  const request = `GET /?wallet=${randomWallet()} HTTP/1.1\r\nHost: x\r\nX-PoH-API-Key: x\r\n\r\n`;
  const [first, second] = [await connectTo(served.url), await connectTo(served.url)];
  first.write(request);
  second.write(request.slice(0, -2));
  await expect.poll(() => firestore.inFlight).toBe(1);
  const stopped = terminate(served);
  setTimeout(() => second.write('\r\n'), SHUTDOWN_LIMIT_MS / 2);
  expect(await stopped, 'milliseconds from SIGTERM to the exit').toBeLessThan(10_000);
  expect(served.process.exitCode, 'exit status').toBe(0);
});

test('connections that are opened at SIGTERM get responses', async () => {
  const served = await serveFunction();
  await connectionOf(served.url);
  /** Opens connections while the function stands still, so it cannot have accepted them before it goes on. */
  const responsesOf = async (onOpen = () => {}) => {
    served.process.kill('SIGSTOP');
    const sockets = await Promise.all(
      Array.from({ length: IN_FLIGHT }, () => connectTo(served.url)),
    );
    for (const socket of sockets) socket.write(REQUEST);
    onOpen();
    // The function counts only the time in which it runs.
    await pause(LINGER_MS);
    served.process.kill('SIGCONT');
    const received = await Promise.all(sockets.map((socket) => text(socket).catch(() => '')));
    return received.flatMap(parseResponses);
  };
  let stopped: Promise<number> | undefined;
  const opening = responsesOf(() => {
    stopped = terminate(served);
  });
  // The shutdown has begun after the first of these.
  await expect.poll(() => connectionOf(served.url), { interval: 1 }).toBe('close');
  // Longer than the function takes to notice that nothing is in flight.
  await pause(4 * SHUTDOWN_CHECK_MS);
  const opened = await responsesOf();
  expect(opened.map(({ headers }) => headers['connection'])).toEqual(
    Array(IN_FLIGHT).fill('close'),
  );
  expect(await opening).toHaveLength(IN_FLIGHT);
  await stopped;
  expect(served.process.exitCode, 'exit status').toBe(0);
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

const accepts = (url: string): Promise<boolean> =>
  connectTo(url).then(
    (socket) => socket.destroy() !== undefined,
    () => false,
  );
