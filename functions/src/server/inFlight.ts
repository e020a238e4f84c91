// The requests of this process that have no complete response yet.

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { onRequestStart } from './serverEvents.ts';

export class InFlight {
  readonly #responses = new Map<ServerResponse, Duplex>();

  /** Tracks each request from now on. */
  constructor() {
    onRequestStart(({ response, socket }) => {
      this.#responses.set(response, socket);
      const end = () => this.#responses.delete(response);
      response.once('close', end);
      // A response that waits behind another one on a lost connection is never closed.
      socket.once('close', end);
    });
  }

  get isEmpty(): boolean {
    return this.#responses.size === 0;
  }

  /** Ends every connection with its response in flight. */
  closeAll(): void {
    for (const response of this.#responses.keys()) response.shouldKeepAlive = false;
  }

  /**
   * Ends a connection with its response in flight.
   *
   * @returns false when there is none
   */
  closeAfter(socket: Duplex): boolean {
    const [last] = [...this.#responses].filter(([, own]) => own === socket).at(-1) ?? [];
    if (last) last.shouldKeepAlive = false;
    return last !== undefined;
  }
}
