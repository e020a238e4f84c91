// The open connections to this process, and the requests in flight on them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { onRequestStart, type RequestStart } from './serverEvents.ts';

interface Connection {
  latestRequest: IncomingMessage;
  /** Not fully sent yet, in the order of their requests. */
  readonly responses: Set<ServerResponse>;
}

export class Connections {
  readonly #open = new Map<Duplex, Connection>();

  /** Tracks each request of this process from now on. */
  constructor() {
    onRequestStart((start) => this.#add(start));
  }

  /** Those that have received a request. */
  sockets(): Iterable<Duplex> {
    return this.#open.keys();
  }

  /** The latest request on a connection, whether it has its response or not. */
  latestRequest(socket: Duplex): IncomingMessage | undefined {
    return this.#open.get(socket)?.latestRequest;
  }

  /** How many requests are in flight on a connection. */
  inFlight(socket: Duplex): number {
    return this.#open.get(socket)?.responses.size ?? 0;
  }

  /** Whether no request is in flight. */
  areIdle(): boolean {
    return [...this.#open.values()].every(({ responses }) => responses.size === 0);
  }

  /** Resolves once each request that has arrived on a connection so far has its response. */
  async idle(socket: Duplex): Promise<void> {
    const responses = this.#responses(socket);
    await Promise.all(
      responses.map((response) => new Promise((end) => response.once('close', end))),
    );
  }

  /** Announces that a connection ends with the last response in flight; Node then ends it. */
  announceEnd(socket: Duplex): void {
    const last = this.#responses(socket).at(-1);
    if (last && !last.headersSent) last.setHeader('Connection', 'close');
  }

  #responses(socket: Duplex): ServerResponse[] {
    return [...(this.#open.get(socket)?.responses ?? [])];
  }

  #add({ request, response, socket }: RequestStart): void {
    const connection = this.#open.get(socket);
    const responses = connection?.responses ?? new Set<ServerResponse>();
    if (connection) connection.latestRequest = request;
    else {
      this.#open.set(socket, { latestRequest: request, responses });
      // Responses that wait behind another one get no event when their connection is lost.
      socket.once('close', () => this.#open.delete(socket));
    }
    responses.add(response);
    response.once('close', () => responses.delete(response));
  }
}
