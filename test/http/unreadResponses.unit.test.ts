import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { UNREAD_MAX_BYTES, UnreadResponses } from '../../functions/src/server/unreadResponses.ts';
import { STALLED_MS } from '../../functions/src/timeLimits.ts';
import { listen } from '../../tools/sandbox/freePort.ts';

const MIB = 1024 ** 2;
/** More than the operating system buffers for an unread response. */
const BODY_BYTES = 32 * MIB;
const KEPT = Math.floor(UNREAD_MAX_BYTES / BODY_BYTES);

const body = 'x'.repeat(BODY_BYTES);

async function serve() {
  const unread = new UnreadResponses();
  const server = createServer((_, response) =>
    unread.send(response, { status: 200, headers: {}, body }),
  );
  const port = await listen(server);
  return {
    port,
    connections: (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends a request, and waits until the response has begun. */
async function request(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'readable');
  return socket;
}

/** @returns whether the rest of the response was sent */
async function isWhole(socket: Socket): Promise<boolean> {
  const received = await text(socket).catch(() => '');
  return received.length > BODY_BYTES;
}

describe.concurrent('responses that nobody reads', () => {
  test('are aborted when there are too many, the oldest first', async () => {
    using server = await serve();
    const sockets: Socket[] = [];
    for (let count = 0; count < KEPT + 2; count += 1) sockets.push(await request(server.port));
    const whole = await Promise.all(sockets.map(isWhole));
    expect(whole).toEqual([false, false, ...Array(KEPT).fill(true)]);
  });

  test('are each aborted after a time limit', { timeout: 5 * STALLED_MS }, async () => {
    using server = await serve();
    const stalled = await request(server.port);
    await expect.poll(server.connections, { timeout: 4 * STALLED_MS }).toBe(0);
    expect(await isWhole(stalled)).toBe(false);
  });

  test('do not block the next response on a keep-alive connection', async () => {
    using server = await serve();
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect((await text(socket)).length).toBeGreaterThan(2 * BODY_BYTES);
  });
});
