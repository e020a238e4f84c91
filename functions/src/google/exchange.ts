// Sends requests to a Google service over keep-alive connections, and reads the responses.

import * as http from 'node:http';
import { SILENCE_CHECK_MS, SILENCE_MS } from '../timeLimits.ts';
import { toGoogleError } from './googleError.ts';
import { LongResponses } from './longResponses.ts';

/** Reads the body of a 200. Both functions throw UnusableResponse, or GoogleError if the body reports an error. */
export interface BodyReader<Result> {
  readonly onData: (text: string) => void;
  /** Called once the body is complete. */
  readonly result: () => Result;
}

/** Enough for 80 concurrent lookups with two reads each, and a second attempt for each read. */
const SOCKETS_MAX = 320;
const SILENT_CHECKS = SILENCE_MS / SILENCE_CHECK_MS;

const ERROR_MAX_LENGTH = 64 * 1024;
const longResponses = new LongResponses();

/** A request in flight, the bytes received at the last check, and the number of checks without new bytes. */
interface Watched {
  readonly request: http.ClientRequest;
  bytesRead: number;
  quietChecks: number;
  readonly onSilence: () => void;
}

export class Connections {
  readonly #url: URL;
  readonly #protocol: typeof http | typeof import('node:https');
  readonly #agent: http.Agent;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param url `https://…` or, for the metadata server and emulators, `http://…`; it may have a path */
  constructor(url: string) {
    this.#url = new URL(url);
    // Loading TLS takes a tenth of a cold start, so it is loaded on demand.
    const isTls = this.#url.protocol === 'https:';
    this.#protocol = isTls ? process.getBuiltinModule('node:https') : http;
    const agent = new this.#protocol.Agent({
      keepAlive: true,
      maxSockets: SOCKETS_MAX,
      // Without a shared context, each connection would prepare the root certificates again.
      ...(isTls && { secureContext: process.getBuiltinModule('node:tls').createSecureContext() }),
    });
    // There is only one destination, so a constant replaces the pool key that Node builds from twenty
    // options for each request.
    this.#agent = Object.assign(agent, { getName: () => 'google' });
  }

  /** Sends a POST, or a GET if `body` is undefined. @param onSilence called when nothing arrives for `SILENCE_MS` */
  send(
    path: string,
    headers: http.OutgoingHttpHeaders,
    body: string | undefined,
    onSilence: () => void,
  ): http.ClientRequest {
    const { hostname, port, pathname } = this.#url;
    const request = this.#protocol.request({
      method: body === undefined ? 'GET' : 'POST',
      hostname,
      port,
      path: pathname === '/' ? path : pathname + path,
      headers,
      agent: this.#agent,
    });
    const watched = { request, bytesRead: 0, quietChecks: 0, onSilence };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#check(), SILENCE_CHECK_MS);
    request.once('close', () => this.#watched.delete(watched));
    return request.end(body);
  }

  /** Counts checks instead of time, so that a busy process is not mistaken for a silent peer. */
  #check(): void {
    for (const watched of [...this.#watched]) {
      const { request, onSilence } = watched;
      const bytesRead = request.socket?.bytesRead ?? 0;
      const isQuiet = bytesRead === watched.bytesRead && !longResponses.isWaiting(request);
      watched.quietChecks = isQuiet ? watched.quietChecks + 1 : 0;
      watched.bytesRead = bytesRead;
      if (watched.quietChecks !== SILENT_CHECKS) continue;
      longResponses.release(request);
      onSilence();
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes the idle connections, because their peers may be gone. */
  closeIdle(): void {
    for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
  }
}

/** Rejects with the reader's error, with GoogleError for a status other than 200, or with Node's error. */
export function readResponse<Result>(
  request: http.ClientRequest,
  newReader: () => BodyReader<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const rejectIfThrown = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        reject(error);
        request.destroy();
      }
    };
    request.on('error', reject);
    request.on('response', (response) => {
      const reader = response.statusCode === 200 ? newReader() : readError(response.statusCode);
      response.on('error', reject);
      response.setEncoding('utf8');
      let length = 0;
      response.on('data', (text: string) => {
        length += text.length;
        longResponses.admit(request, response, length);
        rejectIfThrown(() => reader.onData(text));
      });
      response.on('end', () => rejectIfThrown(() => resolve(reader.result())));
    });
  });
}

/** Reads the body of an error, which may be a front end's page. Its `result` always throws. */
function readError(httpStatus: number | undefined): BodyReader<never> {
  let body = '';
  return {
    onData(text) {
      if (body.length < ERROR_MAX_LENGTH) body += text;
    },
    result() {
      throw toGoogleError(httpStatus, body);
    },
  };
}
