// Starts servers on free ports of this machine.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** @param server a listening server or socket */
export function portOf(server: { address(): unknown }): number {
  const address = server.address();
  if (typeof address === 'object' && address && 'port' in address) return Number(address.port);
  throw new Error('the server does not listen on a port');
}

/** Makes the server listen on 127.0.0.1, by default on a free port. @returns the port */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

/** @returns whether no program listens on the port of 127.0.0.1 */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await listen(server, port).catch(() => undefined);
  if (listening !== undefined) await once(server.close(), 'close');
  return listening !== undefined;
}

/**
 * @returns a port that was free a moment ago. It is below the ports that Linux gives to other sockets, so none of
 *   them takes it before it is used.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  return (await isFree(port)) ? port : freePort();
}
