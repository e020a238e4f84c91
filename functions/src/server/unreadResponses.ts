// The responses that their clients have not read yet, which stay in memory.

import type { ServerResponse } from 'node:http';
import type { LookupResponse } from '../lookup/response.ts';
import { STALLED_MS } from '../timeLimits.ts';

/** A quarter of the instance's memory: 80 responses of 10,000 attestations, and more. */
export const UNREAD_MAX_BYTES = 256 * 1024 ** 2;

/**
 * Sends responses. One that its client has stopped reading is cut off; so is the oldest when too many
 * bytes are unread.
 */
export class UnreadResponses {
  /** Their bytes; the oldest first. */
  readonly #waiting = new Map<ServerResponse, number>();
  #bytes = 0;

  send(response: ServerResponse, { status, headers, body }: LookupResponse): void {
    const bytes = Buffer.byteLength(body);
    // Bypasses Express, which would add an entity tag and send a 304 by itself.
    response.writeHead(status, { ...headers, 'Content-Length': bytes }).end(body);
    // Most are taken by the operating system at once.
    if (response.writableFinished || response.destroyed) return;
    this.#waiting.set(response, bytes);
    this.#bytes += bytes;
    // Without a listener Node then closes the connection.
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
