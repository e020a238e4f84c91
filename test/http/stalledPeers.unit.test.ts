// Tests that only a client that stops reading its response loses its connection, and that a service that says nothing is
// noticed in time.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../../functions/src/google/exchange.ts';
import { serve, takeOver } from '../../functions/src/server.ts';
import { SILENCE_MS, STALLED_MS } from '../../functions/src/timeLimits.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { startWatch } from '../support/watch.ts';

/** More than the operating system buffers for an unread response. */
const BODY_BYTES = 32 * 1024 ** 2;
const endpoint = async () => ({
  ...{ code: 'ok' as const, status: 200, headers: {} },
  body: 'x'.repeat(BODY_BYTES),
});
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Opens a connection. @returns its ends */
async function connectTo(server: Server): Promise<{ client: Socket; accepted: Socket }> {
  onTestFinished(() => void server.close().closeAllConnections());
  const connected = once(server, 'connection');
  const client = connect(await listen(server), '127.0.0.1');
  const [accepted] = await connected;
  return { client, accepted };
}

test('a response that nobody reads is aborted after a time limit', async () => {
  const server = createServer((request, response) => void serve(endpoint, request, response));
  const { client } = await connectTo(server);
  client.write(REQUEST);
  await once(client, 'readable');
  const watch = startWatch();
  const count = () => new Promise((resolve) => server.getConnections((_, now) => resolve(now)));
  await expect.poll(count).toBe(0);
  expect(watch(), 'milliseconds until the disconnection').toBeLessThan(4 * STALLED_MS);
  expect((await text(client).catch(() => '')).length).toBeLessThan(BODY_BYTES);
});

test('a connection whose response was read late stays open', async () => {
  const server = createServer((request, response) => void serve(endpoint, request, response));
  const { client, accepted } = await connectTo(server);
  client.write(REQUEST);
  await expect.poll(() => accepted.timeout).toBe(STALLED_MS);
  client.resume();
  await expect.poll(() => accepted.timeout).toBe(0);
});

test('neither an unused nor a kept connection is closed first', async () => {
  // Node looks for connections without a request in such intervals.
  const server = createServer({ headersTimeout: 1, connectionsCheckingInterval: 1 });
  takeOver(server, async () => ({ ...(await endpoint()), body: '{}' }));
  const unused = once(server, 'clientError');
  const { client, accepted } = await connectTo(server);
  await unused;
  let received = '';
  client.on('data', (piece) => {
    received += piece;
  });
  for (const count of [1, 2]) {
    client.write(REQUEST);
    await expect.poll(() => received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(count);
  }
  expect(received).not.toContain('Keep-Alive:');
  expect(accepted.timeout).toBe(0);
});

// With a body that waits for the handshake, Node would notice it only after twice the limit.
test('the silence of a new connection is noticed after its limit', async () => {
  const server = createTcpServer();
  const url = new URL(`https://127.0.0.1:${await listen(server)}`);
  onTestFinished(() => void server.close());
  const watch = startWatch();
  await new Promise<void>((resolve) => {
    const request = send(url, {}, 'body', () => {
      request.destroy();
      resolve();
    }).on('error', () => undefined);
  });
  expect(watch(), 'milliseconds until the silence is noticed').toBeLessThan(1.8 * SILENCE_MS);
});
