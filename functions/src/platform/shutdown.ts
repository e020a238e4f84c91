// The end of an instance. At SIGTERM the platform leaves it ten seconds, and functions-framework would
// end at once: it breaks off the requests in flight, and responds to the latest with words of its own.

import type { Server } from 'node:http';
import { onRequestStart } from './requestStart.ts';

const IDLE_CHECK_MS = 50;

/** From now on, SIGTERM lets the requests in flight finish before the process ends. */
export function finishInFlightRequests(): void {
  const servers = new Set<Server>();
  onRequestStart(({ server }) => servers.add(server));
  process.on('newListener', function replace(signal) {
    if (signal !== 'SIGTERM') return;
    process.off('newListener', replace);
    // The listener is added after this event: a moment later it can be taken out.
    queueMicrotask(() => {
      process.removeAllListeners('SIGTERM');
      process.once('SIGTERM', () => void endAfter(servers));
    });
  });
}

async function endAfter(servers: ReadonlySet<Server>): Promise<void> {
  await Promise.all([...servers].map(close));
  process.exit(0);
}

/** Takes no new connection, and closes the open ones as they fall idle. */
async function close(server: Server): Promise<void> {
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await new Promise((closed) => server.close(closed));
  clearInterval(idleCheck);
}
