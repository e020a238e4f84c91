// One HTTP request to Google and its response, over the keep-alive connections to a service.

import * as http from 'node:http';
import type { SecureContext } from 'node:tls';
import { SILENCE_MS } from '../timeLimits.ts';
import { toGoogleError, UnusableResponse } from './googleError.ts';
import { parseJson } from './json.ts';

/** Takes the body of a 200. Both throw UnusableResponse, or GoogleError when the body says that the call failed. */
export interface BodyReader<Result> {
  readonly onData: (chunk: Buffer) => void;
  /** Called once the body is complete. */
  readonly result: () => Result;
}

interface Outgoing {
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  /** Sent with POST. Without it, the request is a GET. */
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

/** Each has one destination, which the agents of Node would work out from some twenty options for each request. */
const getName = (): string => 'google';

export class Connections {
  readonly #url: URL;
  readonly #protocol: typeof http | typeof import('node:https');
  readonly #secureContext: SecureContext | undefined;
  #agent: http.Agent;

  /** @param url `https://…` or, for the metadata server and emulators, `http://…`; it may have a path */
  constructor(url: string) {
    this.#url = new URL(url);
    // Loaded on demand: to load TLS takes a tenth of a cold start.
    const isTls = this.#url.protocol === 'https:';
    this.#protocol = isTls ? process.getBuiltinModule('node:https') : http;
    this.#secureContext = isTls
      ? process.getBuiltinModule('node:tls').createSecureContext()
      : undefined;
    this.#agent = this.#newAgent();
  }

  /** Sends a request. @param onSilence called when nothing has arrived for `SILENCE_MS` */
  send<Result>(
    { path, headers, body }: Outgoing,
    newReader: () => BodyReader<Result>,
    onSilence: () => void,
  ): Exchange<Result> {
    const { hostname, port, pathname } = this.#url;
    const agent = this.#agent;
    const outgoing = this.#protocol.request({
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
    const agent = new this.#protocol.Agent({
      keepAlive: true,
      maxSockets: SOCKETS_MAX,
      maxFreeSockets: SOCKETS_MAX,
      // Unless it is shared, each connection prepares the root certificates again.
      secureContext: this.#secureContext,
    });
    return Object.assign(agent, { getName });
  }

  #replace(agent: http.Agent): void {
    if (agent !== this.#agent) return;
    this.#agent = this.#newAgent();
    // Connections in use are closed when their requests have ended.
    agent.maxFreeSockets = 0;
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
}

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
      const reader = response.statusCode === 200 ? newReader() : readError(response.statusCode);
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
  let body = Buffer.alloc(0);
  return {
    onData(chunk) {
      body = Buffer.concat([body, chunk]);
      if (body.length > maxBytes) throw new UnusableResponse('the response is too long');
    },
    result: () => parse(parseJson(body.toString())),
  };
}

/** Reads an error, whose body may be a front end's page: then the status alone decides. */
function readError(status: number | undefined): BodyReader<never> {
  let text = '';
  return {
    onData(chunk) {
      if (text.length < ERROR_MAX_BYTES) text += chunk.toString('latin1');
    },
    result() {
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {}
      throw toGoogleError(status, Object([body].flat()[0]).error);
    },
  };
}
