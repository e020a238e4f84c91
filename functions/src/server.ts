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
  // No listener is added for `timeout`, so Node closes the connection of a client that stops reading.
  response.setTimeout(STALLED_MS);
  response.once('finish', () => request.socket.setTimeout(0));
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

/** @returns Google Cloud's trace id (32 hex digits) if there is one, otherwise a new UUID */
export function requestIdOf(headers: IncomingMessage['headers']): string {
  const cloudTrace = CLOUD_TRACE.exec(String(headers['x-cloud-trace-context']))?.[1];
  const traceParent = TRACE_PARENT.exec(String(headers['traceparent']))?.[1];
  return cloudTrace ?? traceParent ?? randomUUID();
}

/**
 * Makes a server respond with the endpoint alone, and lets the responses in flight finish on SIGTERM. Under Google's
 * framework, this replaces Express and the listeners that end the process.
 *
 * @returns the listener that handles the server's requests from now on
 */
export function takeOver(server: Server, endpoint: Endpoint): RequestListener {
  let inFlight = 0;
  let isEnding = false;

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
    });
    void serve(endpoint, request, response, () => isEnding);
  };
  server.removeAllListeners('request');
  // A body is not read, so none is asked for.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  Object.assign(server, {
    // Otherwise Node would respond itself.
    requireHostHeader: false,
    // The length of the headers is limited.
    maxHeadersCount: 0,
    // Never, because a request of Google's front end could meet the end of its connection.
    keepAliveTimeout: 0,
  });
  server.on('clientError', (_error: Error, socket: Duplex) => {
    // A connection that was never used stays open, too. Nothing can be written to one that its client has reset.
    if (!(socket instanceof Socket) || socket.bytesRead === 0 || !socket.writable) return;
    refuse(socket).catch(() => undefined);
  });

  /** Responds on a connection that Node's parser has given up, and closes it. Rejects while another response is sent. */
  async function refuse(socket: Socket): Promise<void> {
    const request = new IncomingMessage(socket);
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    await serve(endpoint, request, response, () => true);
    socket.end();
    // Until then, Node reads the rest of the request. Unread data could reset the connection before the response arrives.
    setTimeout(() => socket.destroy(), LINGER_MS);
  }

  /** Lets the requests in flight finish before the process ends. Google Cloud allows ten seconds. */
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
      // Closes the idle connections, and resets those that are not accepted yet.
      if (checksLeft < 0) server.close();
    }, SHUTDOWN_CHECK_MS);
  }
  process.removeAllListeners('SIGTERM').once('SIGTERM', end);
  return onRequest;
}
