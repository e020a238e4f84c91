// One HTTP request to Google and its response, over the keep-alive connections to a service.

import * as http from 'node:http';
import * as https from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { SILENCE_MS } from '../timeLimits.ts';
import { toGoogleError, UnusableResponse } from './googleError.ts';
import { parseJson } from './json.ts';

/** Takes the body of a response, as its bytes arrive. */
export interface BodyReader<Result> {
  /** @throws UnusableResponse, or GoogleError when the body says that the call failed */
  readonly onData: (chunk: Buffer) => void;
  /** Called once the body is complete. Throws as `onData` does. */
  readonly result: () => Result;
}

interface Outgoing {
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: string | undefined;
}

export interface Exchange<Result> {
  /** Rejects with what the reader throws, GoogleError for another status than 200, or Node's error. */
  readonly result: Promise<Result>;
  readonly cancel: () => void;
  /** Whether its connection had been idle before. */
  readonly isReused: () => boolean;
  /** Keeps later requests off the connections that are idle now. */
  readonly distrustIdle: () => void;
}

/** Two reads for each of the 80 lookups that an instance takes, so that none waits for a connection. */
const SOCKETS_MAX = 160;
const ERROR_MAX_BYTES = 64 * 1024;

export class Connections {
  readonly #url: URL;
  #agent: http.Agent;

  /** @param url `https://…` or, inside the platform and for emulators, `http://…`; it may have a path */
  constructor(url: string) {
    this.#url = new URL(url);
    this.#agent = this.#newAgent();
  }

  /**
   * Sends a request: POST with a body, else GET.
   *
   * @param onSilence called when nothing has arrived for `SILENCE_MS`
   */
  send<Result>(
    { path, headers, body }: Outgoing,
    newReader: () => BodyReader<Result>,
    onSilence: () => void,
  ): Exchange<Result> {
    const { protocol, hostname, port, pathname } = this.#url;
    const agent = this.#agent;
    const outgoing = (protocol === 'https:' ? https : http).request({
      method: body === undefined ? 'GET' : 'POST',
      hostname,
      port,
      path: pathname === '/' ? path : pathname + path,
      headers,
      agent,
      timeout: SILENCE_MS,
    });
    outgoing.on('timeout', () => {
      const received = outgoing.socket?.bytesRead;
      // What arrived while the process was busy or frozen is received before this.
      setImmediate(() => outgoing.socket?.bytesRead === received && onSilence());
    });
    outgoing.end(body);
    return {
      result: readResponse(outgoing, newReader),
      cancel: () => outgoing.destroy(),
      isReused: () => outgoing.reusedSocket,
      distrustIdle: () => this.#replace(agent),
    };
  }

  #newAgent(): http.Agent {
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: SOCKETS_MAX };
    if (this.#url.protocol === 'http:') return new http.Agent(options);
    // Unless it is shared, each connection prepares the root certificates again.
    secureContext ??= createSecureContext();
    return new https.Agent({ ...options, secureContext });
  }

  #replace(agent: http.Agent): void {
    if (agent !== this.#agent) return;
    this.#agent = this.#newAgent();
    // Connections in use are closed when their requests have ended.
    agent.maxFreeSockets = 0;
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
}

let secureContext: SecureContext | undefined;

function readResponse<Result>(
  request: http.ClientRequest,
  newReader: () => BodyReader<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        reject(error);
        request.destroy();
      }
    };
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode } = response;
      const reader = statusCode === 200 ? newReader() : readError(statusCode);
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => attempt(() => reader.onData(chunk)));
      response.on('end', () => attempt(() => resolve(reader.result())));
    });
  });
}

/** Reads a body as one JSON value. @param parse takes the value */
export function readJson<Result>(
  maxBytes: number,
  parse: (json: unknown) => Result,
): BodyReader<Result> {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    onData(chunk) {
      length += chunk.length;
      if (length > maxBytes) throw new UnusableResponse('the response is too long');
      chunks.push(chunk);
    },
    result: () => parse(parseJson(Buffer.concat(chunks).toString())),
  };
}

function readError(httpStatus: number | undefined): BodyReader<never> {
  let text = '';
  return {
    onData(chunk) {
      if (text.length < ERROR_MAX_BYTES) text += chunk.toString('latin1');
    },
    result() {
      let body: unknown;
      try {
        body = parseJson(text);
      } catch {
        // A front end's page: the status alone decides.
      }
      throw toGoogleError(httpStatus, Object([body].flat()[0]).error);
    },
  };
}
