// Starts servers on free ports.

import { once } from 'node:events';
import type { Server } from 'node:net';
import { portOf } from '../sandbox/freePort.ts';

/** Makes the server listen on a free port of 127.0.0.1. @returns the port */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}
