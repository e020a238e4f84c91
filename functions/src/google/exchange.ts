// Sends requests to a Google service over keep-alive connections, and receives the responses.

import { Resolver } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { NAME_LIMIT_MS, SILENCE_MS, TURN_MS } from '../timeLimits.ts';

/** The HTTP status, Google's `error.status` (such as UNAVAILABLE), and its `error.message` if that is a code. */
interface Details {
  readonly httpStatus?: number | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** Its message is our own and its details are codes, so both may be logged. */
export class GoogleError extends Error {
  override readonly name: string = 'GoogleError';
  readonly details: Details;

  constructor(message: string, details: Details = {}, cause?: unknown) {
    super(message, { cause });
    this.details = details;
  }
}

/** The response is invalid, or does not match the request. */
export class UnusableResponse extends GoogleError {
  override readonly name = 'UnusableResponse';
}

/** @param text the body, whose JSON may contain an error like `{"code": 503, "status": "UNAVAILABLE", …}` */
export function toGoogleError(httpStatus: number | undefined, text: string): GoogleError {
  const status = /"status"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  const reason = /"message"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  return new GoogleError('Google responded with an error', { httpStatus, status, reason });
}

/** Enough for 80 concurrent lookups with two reads each, and a second attempt for each read. */
const SOCKETS_MAX = 320;

const resolver = new Resolver({ timeout: NAME_LIMIT_MS, tries: 1 });
/** Resolves a name without `dns.lookup`, whose four threads a silent name server would block for 5 s. */
const resolveName: LookupFunction = (name, { all }, callback) => {
  resolver.resolve4(name, (error, addresses = []) => {
    if (error || !all) callback(error, addresses[0] ?? '', 4);
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
  });
};

export class Connections {
  readonly #url: URL;
  readonly #agent: http.Agent;

  /** @param url `https://…` or, for the metadata server and emulators, `http://…`; it may have a path */
  constructor(url: string) {
    this.#url = new URL(url);
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX };
    this.#agent =
      this.#url.protocol === 'https:'
        ? new https.Agent({
            ...options,
            lookup: resolveName,
            // Without a shared context, each connection would prepare the root certificates again.
            secureContext: createSecureContext(),
          })
        : new http.Agent(options);
  }

  /** Sends a POST, or a GET if `body` is undefined. @param onSilence called when nothing arrives for `SILENCE_MS` */
  send(
    path: string,
    headers: http.OutgoingHttpHeaders,
    body: string | undefined,
    onSilence: () => void,
  ): http.ClientRequest {
    const { protocol, hostname, port, pathname } = this.#url;
    const request = (protocol === 'https:' ? https : http).request({
      method: body === undefined ? 'GET' : 'POST',
      hostname,
      port,
      path: pathname === '/' ? path : pathname + path,
      headers,
      agent: this.#agent,
      timeout: SILENCE_MS,
    });
    request.on('timeout', () => {
      const { socket } = request;
      const before = socket?.bytesRead;
      // In a busy process the timer may fire before the bytes that have arrived are read.
      setImmediate(() => socket?.bytesRead === before && onSilence());
    });
    return request.end(body);
  }

  /** Closes the idle connections, because their peers may be gone. */
  closeIdle(): void {
    for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
  }
}

/**
 * Receives the body of a 200.
 *
 * @param maxLength in characters
 * @throws GoogleError for another status, UnusableResponse if the body is too long, or Node's error
 */
export function receive(request: http.ClientRequest, maxLength: number): Promise<string> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    // For example after a 101, which Node emits as neither a response nor an error.
    request.on('close', () => reject(new Error('the connection was closed')));
    request.on('response', (response) => {
      const { statusCode } = response;
      const isOk = statusCode === 200;
      let text = '';
      let isLong = false;
      const end = (): void => (isOk ? resolve(text) : reject(toGoogleError(statusCode, text)));
      response.setEncoding('utf8').on('error', reject).on('end', end);
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > maxLength) {
          if (isOk) reject(new UnusableResponse('the response is too long'));
          else end();
          request.destroy();
        } else if (!isLong && text.length >= LONG_FROM) {
          isLong = true;
          turns.wait(response);
        }
      });
    });
  });
}

/** Responses of at least this many characters (about 200 attestations) wait for their turn. */
const LONG_FROM = 128 * 1024;
/** More than one, so that the next responses arrive while one is parsed. */
const TURNS = 4;

/** Limits how many long responses arrive at once, because 80 lookups of 10,000 attestations would not fit. */
const turns = {
  free: TURNS,
  waiting: [] as http.IncomingMessage[],

  wait(response: http.IncomingMessage): void {
    response.pause();
    // A response that waits is not silent.
    response.setTimeout(0);
    this.waiting.push(response);
    this.beginNext();
  },

  beginNext(): void {
    if (this.free === 0) return;
    const response = this.waiting.shift();
    if (!response) return;
    this.free -= 1;
    const end = (): void => {
      clearTimeout(limit);
      response.off('close', end);
      this.free += 1;
      this.beginNext();
    };
    const limit = setTimeout(end, response.destroyed ? 0 : TURN_MS);
    response.once('close', end).setTimeout(SILENCE_MS);
    response.resume();
  },
};
