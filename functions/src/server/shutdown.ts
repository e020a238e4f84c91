// Graceful shutdown. After SIGTERM the platform gives an instance ten seconds. functions-framework
// would exit immediately, drop the requests in flight, and respond to the latest with plain text.

import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { LINGER_MS, SHUTDOWN_CHECK_MS, SHUTDOWN_LIMIT_MS } from '../timeLimits.ts';
import type { InFlight } from './inFlight.ts';
import { onRequestStart, onServer } from './serverEvents.ts';

/** From now on, SIGTERM lets the requests in flight finish before the process ends. */
export function finishInFlightRequests(inFlight: InFlight): void {
  const servers = new Set<Server>();
  onServer((server) => servers.add(server));
  process.on('newListener', function replace(signal) {
    if (signal !== 'SIGTERM') return;
    process.off('newListener', replace);
    // `newListener` fires before the listener is added, so remove it in a microtask.
    queueMicrotask(() => {
      process.removeAllListeners('SIGTERM');
      process.once('SIGTERM', () => void endAfter([...servers], inFlight));
    });
  });
}

async function endAfter(servers: readonly Server[], inFlight: InFlight): Promise<void> {
  const startedAt = performance.now();
  inFlight.closeAll();
  onRequestStart(({ response }) => {
    response.shouldKeepAlive = false;
  });

  const open = new Set(servers);
  for (const server of servers) server.close(() => open.delete(server));
  const elapsed = (): number => performance.now() - startedAt;
  while (open.size > 0 && elapsed() < SHUTDOWN_LIMIT_MS) {
    // The connections still open have sent nothing, or an incomplete request.
    if (elapsed() > LINGER_MS && inFlight.isEmpty) break;
    for (const server of open) server.closeIdleConnections();
    await pause(SHUTDOWN_CHECK_MS);
  }
  process.exit(0);
}
