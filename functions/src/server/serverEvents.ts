// Observes this process's HTTP servers through Node's diagnostics events, because functions-framework
// does not expose its server.

import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Published at `listen`, before the server takes its first connection. */
const LISTEN = 'tracing:net.server.listen:asyncStart';
/** Published for each request, before it is handled. */
const REQUEST_START = 'http.server.request.start';

export interface RequestStart {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Duplex;
}

/** @param listener called for each HTTP server of this process that listens from now on */
export function onServer(listener: (server: Server) => void): void {
  subscribe(LISTEN, (message) => {
    const { server } = message as { server: unknown };
    if (server instanceof Server) listener(server);
  });
}

/** @param listener called for each request of this process from now on */
export function onRequestStart(listener: (start: RequestStart) => void): void {
  subscribe(REQUEST_START, (message) => listener(message as RequestStart));
}
