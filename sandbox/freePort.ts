// Ports: the one of a server, a free one, and a check that fixed ones are free.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { Failure } from '../terminal/failure.ts';
import type { NamedPort } from './emulatorAddresses.ts';

/** @param server that listens on TCP */
export function portOf(server: { address(): unknown }): number {
  const address = server.address();
  if (typeof address === 'object' && address && 'port' in address) return Number(address.port);
  throw new Error('the server does not listen on a port');
}

/** @returns a port of this machine that nobody listened on a moment ago */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** @throws Failure that names the first taken port and how to find the process that listens on it */
export async function requireFreePorts(ports: readonly NamedPort[]): Promise<void> {
  for (const { name, port } of ports) {
    if (await isFree(port)) continue;
    throw new Failure(
      `Port ${port}, which the ${name} emulator needs, is taken: find the process with ` +
        `\`lsof -i :${port}\`, stop it and try again.`,
    );
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
