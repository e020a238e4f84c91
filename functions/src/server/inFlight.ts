// The requests of this process that have no complete response yet.

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { onRequestStart } from './serverEvents.ts';

export class InFlight {
  readonly #responses = new Map<ServerResponse, Duplex>();
  readonly #sockets = new WeakSet<Duplex>();

  /** Tracks each request from now on. */
  constructor() {
    onRequestStart(({ response, socket }) => {
      this.#responses.set(response, socket);
      response.once('close', () => this.#responses.delete(response));
      // A queued response on a lost connection never emits `close`.
      if (!this.#sockets.has(socket)) socket.once('close', () => this.#forget(socket));
      this.#sockets.add(socket);
    });
  }

  get isEmpty(): boolean {
    return this.#responses.size === 0;
  }

  /** Makes each connection close after its response in flight. */
  closeAll(): void {
    for (const response of this.#responses.keys()) response.shouldKeepAlive = false;
  }

  /** Makes a connection close after its last response in flight. @returns false if it has none */
  closeAfter(socket: Duplex): boolean {
    const last = this.#responsesOn(socket).at(-1);
    if (last) last.shouldKeepAlive = false;
    return last !== undefined;
  }

  #responsesOn(socket: Duplex): ServerResponse[] {
    return [...this.#responses].filter(([, own]) => own === socket).map(([response]) => response);
  }

  #forget(socket: Duplex): void {
    for (const response of this.#responsesOn(socket)) this.#responses.delete(response);
  }
}
