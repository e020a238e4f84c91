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

/** @param text the body, as in `{"code": 403, "status": "PERMISSION_DENIED", "details": [{"reason": "BILLING_DISABLED"}]}` */
export function toGoogleError(httpStatus: number | undefined, text: string): GoogleError {
  const status = /"status"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  const reason = /"(?:message|reason)"\s*:\s*"([A-Z_]{3,40})(?:"| :)/.exec(text)?.[1];
  return new GoogleError('Google responded with an error', { httpStatus, status, reason });
}

const resolver = new Resolver({ timeout: NAME_LIMIT_MS, tries: 1 });
/** Resolves a name without `dns.lookup`, whose four threads a silent name server would block for 10 s each. */
const lookup: LookupFunction = (name, _options, callback) => {
  resolver.resolve4(name, (error, addresses = []) => {
    // Node asks for all addresses, to try them in turn.
    const found = addresses.map((address) => ({ address, family: 4 }));
    callback(error, found);
  });
};

// Without a shared context, each connection would prepare the root certificates again.
const secureContext = createSecureContext();
const tlsAgent = new https.Agent({ keepAlive: true, lookup, secureContext });
/** For the metadata server and the emulators. */
const plainAgent = new http.Agent({ keepAlive: true });

/** Sends a POST, or a GET if `body` is undefined. @param onSilence called once, when nothing arrives for `SILENCE_MS` */
export function send(
  { protocol, hostname, port, pathname, search }: URL,
  headers: http.OutgoingHttpHeaders,
  body: string | undefined,
  onSilence: () => void,
): http.ClientRequest {
  const isTls = protocol === 'https:';
  const request = (isTls ? https : http).request({
    method: body === undefined ? 'GET' : 'POST',
    hostname,
    port,
    path: pathname + search,
    headers,
    agent: isTls ? tlsAgent : plainAgent,
    timeout: SILENCE_MS,
  });
  return request.once('socket', (socket) => {
    const onTimeout = (): void => {
      const before = socket.bytesRead;
      // In a busy process the timer may fire before the bytes that have arrived are read.
      setImmediate(() => {
        if (socket.bytesRead === before) onSilence();
        else if (!request.destroyed) socket.once('timeout', onTimeout);
      });
    };
    socket.once('timeout', onTimeout);
    request.once('close', () => socket.off('timeout', onTimeout));
    // Node counts data that waits for the handshake as progress, and would notice silence only after twice the time.
    if (isTls && socket.connecting) socket.once('secureConnect', () => request.end(body));
    else request.end(body);
  });
}

/** Closes the idle connections, because their peers may be gone. */
export function closeIdle(): void {
  const sockets = [tlsAgent, plainAgent].flatMap((agent) => Object.values(agent.freeSockets));
  for (const socket of sockets.flat()) socket?.destroy();
}

/** Reads a body. Both functions throw UnusableResponse, or GoogleError if the body reports an error. */
export interface BodyReader<Result> {
  readonly onData: (text: string) => void;
  /** Called once the body is complete. */
  readonly result: () => Result;
}

/** Rejects with UnusableResponse or GoogleError, with GoogleError for another status, or with Node's error. */
export function receive<Result>(
  request: http.ClientRequest,
  bodyReader: BodyReader<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const rejectIfThrown = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        const isOurs = error instanceof GoogleError;
        reject(isOurs ? error : new UnusableResponse('the response cannot be read', {}, error));
        request.destroy();
      }
    };
    request.on('error', reject);
    // Also after a 101, and after a body that is cut off, for which Node emits no error.
    request.on('close', () => reject(new Error('the connection was closed')));
    request.on('response', (response) => {
      const { statusCode } = response;
      const readError = (text: string) => {
        throw toGoogleError(statusCode, text);
      };
      const reader = statusCode === 200 ? bodyReader : readText<Result>(readError);
      response.setEncoding('utf8');
      let length = 0;
      response.on('data', (text: string) => {
        const wasShort = length < LONG_FROM;
        length += text.length;
        rejectIfThrown(() => reader.onData(text));
        if (wasShort && length >= LONG_FROM) turns.wait(response);
      });
      response.on('end', () => rejectIfThrown(() => resolve(reader.result())));
    });
  });
}

/** In characters. Access tokens and accounts have about 2,000. */
const TEXT_MAX_LENGTH = 1024 ** 2;

/** Reads a body as text. @param parse converts it */
export function readText<Result>(parse: (text: string) => Result): BodyReader<Result> {
  let body = '';
  return {
    onData(text) {
      body += text;
      if (body.length <= TEXT_MAX_LENGTH) return;
      // For an error, this throws what its beginning says.
      parse(body);
      throw new UnusableResponse('the response is too long');
    },
    result: () => parse(body),
  };
}

/** Responses of at least this many characters (about 200 attestations) wait for their turn. */
const LONG_FROM = 128 * 1024;
/** More than one, so that the next responses arrive while one is parsed. */
const TURNS = 4;
/** A response that gets less than this in `TURN_MS` gives its turn up. */
const TURN_MIN_BYTES = 16 * 1024;

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
    let response = this.waiting.shift();
    while (response?.destroyed) response = this.waiting.shift();
    if (!response) return;
    const { socket } = response;
    this.free -= 1;
    let seen = socket.bytesRead;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      this.free += 1;
      this.beginNext();
    };
    const check = (): void => {
      if (socket.bytesRead - seen < TURN_MIN_BYTES) end();
      seen = socket.bytesRead;
    };
    // In a busy process, the bytes that have arrived are read before they are counted.
    const timer = setInterval(() => setImmediate(check), TURN_MS);
    response.once('close', end).setTimeout(SILENCE_MS);
    response.resume();
  },
};
