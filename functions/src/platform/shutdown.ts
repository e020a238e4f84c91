// Graceful shutdown. After SIGTERM the platform gives an instance ten seconds, and functions-framework
// would end at once: it drops the requests in flight, and responds to the latest with its own text.

import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connections } from './connections.ts';
import { onRequestStart, onServer } from './serverEvents.ts';

const CHECK_MS = 25;
/** How long a request that a client has begun to send may still take to arrive. */
const ARRIVAL_MS = 1_000;
/** More than a request may take, and less than the platform allows. */
const END_MS = 9_500;

/** From now on, SIGTERM lets the requests in flight finish before the process ends. */
export function finishInFlightRequests(connections: Connections): void {
  const servers = new Set<Server>();
  onServer((server) => servers.add(server));
  process.on('newListener', function replace(signal) {
    if (signal !== 'SIGTERM') return;
    process.off('newListener', replace);
    // The listener is added after this event: a moment later it can be taken out.
    queueMicrotask(() => {
      process.removeAllListeners('SIGTERM');
      process.once('SIGTERM', () => void endAfter([...servers], connections));
    });
  });
}

async function endAfter(servers: readonly Server[], connections: Connections): Promise<void> {
  const startedAt = performance.now();
  // With its response each connection ends, so that no further request comes on it.
  for (const socket of connections.sockets()) connections.announceEnd(socket);
  onRequestStart(({ response }) => response.setHeader('Connection', 'close'));

  const open = new Set(servers);
  for (const server of servers) server.close(() => open.delete(server));
  const elapsed = (): number => performance.now() - startedAt;
  while (open.size > 0 && elapsed() < END_MS) {
    // The connections still open have sent nothing, or an incomplete request.
    if (elapsed() > ARRIVAL_MS && connections.areIdle()) break;
    for (const server of open) server.closeIdleConnections();
    await pause(CHECK_MS);
  }
  process.exit(0);
}
