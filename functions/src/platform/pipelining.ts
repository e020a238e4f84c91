// HTTP pipelining: requests that a client sends before it has the earlier responses. Node handles them
// all concurrently; the platform never sends any.

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';
import { onRequestStart } from './serverEvents.ts';

/** As many as an instance takes at once. */
export const PIPELINED_MAX = 80;

/**
 * Bounds the requests in flight on each connection: the last one that is taken ends the connection
 * with its response (RFC 9112, 9.3.2), and what follows it is dropped.
 */
export class PipelineLimit {
  readonly #full = new WeakSet<Duplex>();
  readonly #dropped = new WeakSet<ServerResponse>();

  constructor(connections: Connections) {
    onRequestStart(({ socket, response }) => {
      if (this.#full.has(socket)) this.#dropped.add(response);
      else if (connections.inFlight(socket) >= PIPELINED_MAX) {
        this.#full.add(socket);
        connections.announceEnd(socket);
        socket.pause();
      }
    });
  }

  /** Whether the request of this response is dropped. */
  isDropped(response: ServerResponse): boolean {
    return this.#dropped.has(response);
  }
}
