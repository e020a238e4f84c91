// Servers on free ports of this machine.

import { once } from 'node:events';
import type { Server } from 'node:net';
import { portOf } from '../sandbox/freePort.ts';

/** Starts to listen on a free port of 127.0.0.1, and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}
