// Limits the responses that clients have not read yet, because they stay in memory.

import type { ServerResponse } from 'node:http';
import type { LookupResponse } from '../lookup/response.ts';
import { STALLED_MS } from '../timeLimits.ts';

/** A quarter of the instance's memory, which is enough for 80 responses of 10,000 attestations. */
export const UNREAD_MAX_BYTES = 256 * 1024 ** 2;

/**
 * Sends responses. It aborts a response that its client has stopped reading, and the oldest ones when
 * too many bytes are unread.
 */
export class UnreadResponses {
  /** The bytes of each unread response, oldest first. */
  readonly #waiting = new Map<ServerResponse, number>();
  #bytes = 0;

  send(response: ServerResponse, { status, headers, body }: LookupResponse): void {
    const bytes = Buffer.byteLength(body);
    // Bypasses Express, which would add an entity tag and might send a 304.
    response.writeHead(status, { ...headers, 'Content-Length': bytes }).end(body);
    // The operating system accepts most responses immediately.
    if (response.writableFinished || response.destroyed) return;
    this.#waiting.set(response, bytes);
    this.#bytes += bytes;
    // No listener is added for `timeout`, so Node closes the connection.
    response.setTimeout(STALLED_MS);
    response.once('close', () => this.#forget(response));
    for (const [oldest] of this.#waiting) {
      if (this.#bytes <= UNREAD_MAX_BYTES || oldest === response) return;
      this.#forget(oldest);
      oldest.destroy();
    }
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response) ?? 0;
    this.#waiting.delete(response);
  }
}
