// Bounds how many long responses are read at once: 80 lookups of 10,000 attestations would not fit into memory together.

import type { ClientRequest, IncomingMessage } from 'node:http';

/** What is longer waits for its turn, in characters: some 200 attestations. */
const LONG_FROM = 128 * 1024;
/** One would do for the processor; the others arrive meanwhile. */
const READ_AT_ONCE = 8;

export class LongResponses {
  readonly #reading = new Set<ClientRequest>();
  /** Paused; the one that has waited longest is first. */
  readonly #waiting = new Map<ClientRequest, IncomingMessage>();

  /** To be called as a response arrives; pauses it until it is its turn. @param length what has arrived of it, in characters */
  admit(request: ClientRequest, response: IncomingMessage, length: number): void {
    if (length < LONG_FROM || this.#reading.has(request) || this.#waiting.has(request)) return;
    request.once('close', () => this.release(request));
    this.#waiting.set(request, response.pause());
    this.#resumeNext();
  }

  /** Nothing of it can arrive. */
  isWaiting(request: ClientRequest): boolean {
    return this.#waiting.has(request);
  }

  /** Lets the next one be read: this one has ended, or is silent. */
  release(request: ClientRequest): void {
    this.#reading.delete(request);
    this.#waiting.delete(request);
    this.#resumeNext();
  }

  #resumeNext(): void {
    for (const [request, response] of this.#waiting) {
      if (this.#reading.size === READ_AT_ONCE) return;
      this.#waiting.delete(request);
      this.#reading.add(request);
      response.resume();
    }
  }
}
