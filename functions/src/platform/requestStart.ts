// The event that Node publishes for each request, before anybody handles it.

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';

const REQUEST_START = 'http.server.request.start';

export interface RequestStart {
  readonly request: IncomingMessage;
  /** The server that received it. */
  readonly server: Server;
}

/** @param listener called for each request of this process from now on */
export const onRequestStart = (listener: (start: RequestStart) => void): void =>
  subscribe(REQUEST_START, (message) => listener(message as RequestStart));
