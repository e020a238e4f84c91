// Limits how many long responses are read concurrently, because 80 lookups of 10,000 attestations
// would not fit into memory.

import type { ClientRequest, IncomingMessage } from 'node:http';

/** Responses of at least this many characters (about 200 attestations) wait for their turn. */
const LONG_FROM = 128 * 1024;
/** More than one, so that the next responses arrive while one is parsed. */
const CONCURRENT_READS = 4;

export class LongResponses {
  readonly #reading = new Set<ClientRequest>();
  /** The paused responses, in the order in which they were paused. */
  readonly #waiting = new Map<ClientRequest, IncomingMessage>();

  /**
   * Call this for each piece of a response. A long response is paused until its turn.
   * @param length the characters received so far
   */
  admit(request: ClientRequest, response: IncomingMessage, length: number): void {
    if (length < LONG_FROM || this.#reading.has(request) || this.#waiting.has(request)) return;
    request.once('close', () => this.release(request));
    this.#waiting.set(request, response.pause());
    this.#resumeNext();
  }

  /** Whether the response is paused. */
  isWaiting(request: ClientRequest): boolean {
    return this.#waiting.has(request);
  }

  /** Call this when a response has ended or is silent. It lets the next one be read. */
  release(request: ClientRequest): void {
    this.#reading.delete(request);
    this.#waiting.delete(request);
    this.#resumeNext();
  }

  #resumeNext(): void {
    for (const [request, response] of this.#waiting) {
      if (this.#reading.size === CONCURRENT_READS) return;
      this.#waiting.delete(request);
      this.#reading.add(request);
      response.resume();
    }
  }
}
