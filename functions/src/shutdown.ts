// Owns the end of an instance. At SIGTERM the platform leaves it ten seconds, and functions-framework
// would end at once: it breaks off what is held and answers the latest request with its own words.

import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

/** Published by Node for each request, with the server that received it. */
const REQUEST_START = 'http.server.request.start';
const IDLE_CHECK_MS = 50;

/** From now on, SIGTERM lets the requests that are held be answered before the process ends. */
export function finishHeldRequests(): void {
  const servers = new Set<Server>();
  subscribe(REQUEST_START, (message) => servers.add((message as { server: Server }).server));
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

/** Takes no new connection, and ends the kept ones as they fall idle. */
async function close(server: Server): Promise<void> {
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await new Promise((closed) => server.close(closed));
  clearInterval(idleCheck);
}
