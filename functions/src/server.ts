// Serves the endpoint on Node's HTTP server: valid and malformed requests, slow clients and the shutdown.

import { randomUUID } from 'node:crypto';
import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Endpoint } from './lookup.ts';
import { LINGER_MS, SHUTDOWN_CHECK_MS, SHUTDOWN_LIMIT_MS, STALLED_MS } from './timeLimits.ts';

/**
 * Responds to a request that Node has parsed. The request's body is not read.
 *
 * @param isLast whether to close the connection after the response
 */
export async function serve(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  isLast = () => false,
): Promise<void> {
  const { method = '', url, headers } = request;
  const target = isValid(request) ? url : undefined;
  // Later requests on the connection could not be distinguished from the rest of this one.
  const isEnd = target === undefined || headers.upgrade !== undefined;
  const apiKey = request.headersDistinct['x-poh-api-key']?.join(', ');
  const result = await endpoint({ method, target, apiKey, requestId: requestIdOf(headers) });
  if (isEnd || isLast()) response.shouldKeepAlive = false;
  const fields = { ...result.headers, 'Content-Length': Buffer.byteLength(result.body) };
  response.writeHead(result.status, fields).end(result.body);
  // The operating system accepts most responses immediately. No listener is added for `timeout`, so
  // Node closes the connection of a client that stops reading.
  if (!response.writableFinished) response.setTimeout(STALLED_MS);
}

/**
 * Exactly one Host is required (RFC 9112, 3.2). The version is checked because Node's parser also
 * accepts others, and RTSP.
 */
const isValid = ({ httpVersion, headersDistinct }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headersDistinct['host']?.length === 1;

// Google's front end sends its trace id, 32 hex digits, in these two headers. Zeros are no id, and of the
// second header W3C has defined only version 00.
const CLOUD_TRACE = /^((?!0{32})[0-9a-f]{32})(?:[/;]|$)/;
const TRACE_PARENT = /^00-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** @returns the platform's trace id (32 hex digits) if there is one, otherwise a new UUID */
export function requestIdOf(headers: IncomingMessage['headers']): string {
  const cloudTrace = CLOUD_TRACE.exec(String(headers['x-cloud-trace-context']))?.[1];
  const traceParent = TRACE_PARENT.exec(String(headers['traceparent']))?.[1];
  return cloudTrace ?? traceParent ?? randomUUID();
}

/**
 * What a connection is waiting for. It is a field of the socket, because a table that gets an entry for
 * each request would keep finished requests in memory until a full garbage collection.
 */
interface Pending {
  /** The number of responses that are not sent completely. */
  count: number;
  latest: ServerResponse;
}
const PENDING = Symbol('pending responses');
type Connection = Socket & { [PENDING]?: Pending };

/**
 * Takes the server over from functions-framework, whose Express would answer some requests in HTML, log
 * others and read bodies into memory, and which would exit on SIGTERM without sending the responses in
 * flight. Call it before the server listens, or with a request.
 *
 * @returns the listener that handles the server's requests from now on
 */
export function takeOver(server: Server, endpoint: Endpoint): RequestListener {
  let inFlight = 0;
  let isEnding = false;

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const socket: Connection = request.socket;
    const isFirst = !socket[PENDING];
    const pending = socket[PENDING] ?? { count: 0, latest: response };
    socket[PENDING] = pending;
    pending.latest = response;
    const add = (count: number): void => {
      pending.count += count;
      inFlight += count;
    };
    add(1);
    // A queued response on a lost connection never emits `close`.
    if (isFirst) socket.once('close', () => add(-pending.count));
    response.once('close', () => socket.destroyed || add(-1));
    void serve(endpoint, request, response, () => isEnding && pending.latest === response);
  };
  server.removeAllListeners('request');
  // A body is not read, so none is asked for.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  Object.assign(server, {
    // Otherwise Node would respond itself.
    requireHostHeader: false,
    // The length of the headers is limited.
    maxHeadersCount: 0,
    // A client that has closed its side still reads.
    httpAllowHalfOpen: true,
  });

  server.on('connect', (request: IncomingMessage) => {
    const { socket } = request;
    // Node no longer handles this socket's errors.
    socket.on('error', () => socket.destroy());
    refuse(request).catch(() => socket.destroy());
  });
  server.on('clientError', (_error: Error, socket: Duplex) => {
    // Preconnected but never used.
    if (!(socket instanceof Socket) || socket.bytesRead === 0) socket.destroy();
    // Node emits `clientError` again for each further piece of the request.
    else if (socket.writable) refuse(new IncomingMessage(socket)).catch(() => socket.destroy());
  });

  /** Responds on a connection that Node's parser has given up, and closes it. Rejects if Express responds on it. */
  async function refuse(request: IncomingMessage): Promise<void> {
    const socket: Connection = request.socket;
    const pending = socket[PENDING];
    // If another response is still being sent on this connection, do not mix this one into it.
    if (pending && pending.count > 0) {
      pending.latest.shouldKeepAlive = false;
      return;
    }
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    await serve(endpoint, request, response, () => true);
    socket.end();
    // Read and drop the rest of the request. Unread data could reset the connection before the
    // response arrives.
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  }

  /** Lets the requests in flight finish before the process ends. The platform allows ten seconds. */
  function end(): void {
    isEnding = true;
    const startedAt = performance.now();
    // Counted in checks, because while the process waits for a CPU it accepts no connections.
    let checksLeft = LINGER_MS / SHUTDOWN_CHECK_MS;
    setInterval(() => {
      checksLeft -= 1;
      // The connections still open have sent nothing, or an incomplete request.
      const isDone = inFlight === 0 && checksLeft < 0;
      if (isDone || performance.now() - startedAt > SHUTDOWN_LIMIT_MS) process.exit(0);
      // Closing the server would also reset the connections that it has not accepted yet.
      if (checksLeft < 0) server.close();
      server.closeIdleConnections();
    }, SHUTDOWN_CHECK_MS);
  }
  const replaceSignalListener = (): void => {
    const theirs = process.listeners('SIGTERM');
    // Added first, because a signal that arrives while there is no listener can be lost.
    process.once('SIGTERM', end);
    for (const listener of theirs) process.off('SIGTERM', listener);
  };
  // The framework adds its own listener once the server listens. Without a connection there is nothing to complete.
  if (server.listening) replaceSignalListener();
  else server.once('connection', replaceSignalListener);
  return onRequest;
}
