// Finds the port that a server listens on, or a free port.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** @param server a listening server or socket */
export function portOf(server: { address(): unknown }): number {
  const address = server.address();
  if (typeof address === 'object' && address && 'port' in address) return Number(address.port);
  throw new Error('the server does not listen on a port');
}

/** @returns a port that was free a moment ago */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
