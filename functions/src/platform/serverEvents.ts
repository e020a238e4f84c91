// What Node publishes of the HTTP servers of this process: functions-framework keeps its own to itself.

import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Published when a server is told to listen, before it takes its first connection. */
const LISTEN = 'tracing:net.server.listen:asyncStart';
/** Published for each request, before anybody handles it. */
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
