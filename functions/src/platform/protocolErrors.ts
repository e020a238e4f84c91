// Responds where Node itself would, or would close the connection: to what is no HTTP request, to the method
// CONNECT and to the header Expect. None of them reaches functions-framework.

import { type Server, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LookupRequest } from '../endpoint.ts';
import { requestIdOf } from '../requestId.ts';
import { MALFORMED_PATH } from '../requestTarget.ts';
import type { LookupResponse } from '../response.ts';
import type { Connections } from './connections.ts';
import { onServer } from './serverEvents.ts';

type Endpoint = (request: LookupRequest) => Promise<LookupResponse>;

/** How long a client may take to read the last response before its connection is dropped. */
const LINGER_MS = 1_000;

/** Responds as the endpoint does, on every server of this process that listens from now on. */
export function respondToProtocolErrors(endpoint: Endpoint, connections: Connections): void {
  onServer((server) => {
    ignoreExpectations(server);
    server.on('connect', ({ method = '', headers }, socket) => {
      // Node no longer listens for them.
      socket.on('error', () => socket.destroy());
      void refuse(socket, { method, target: '/', requestId: requestIdOf(headers) });
    });
    const refused = new WeakSet<Duplex>();
    server.on('clientError', (_error, socket) => {
      // Emitted again for each further piece that arrives.
      if (refused.has(socket)) return;
      refused.add(socket);
      if (!socket.writable || isUnused(socket)) socket.destroy();
      else if (isWithinBody(socket)) void closeAfter(socket);
      else void refuse(socket, { method: '', target: MALFORMED_PATH, requestId: requestIdOf({}) });
    });
  });

  /** Its request has a response of its own. */
  const isWithinBody = (socket: Duplex): boolean =>
    connections.latestRequest(socket)?.complete === false;

  async function closeAfter(socket: Duplex): Promise<void> {
    connections.announceEnd(socket);
    await connections.idle(socket);
    close(socket, '');
  }

  /** Responds after the requests that came before on the same connection, as its last response. */
  async function refuse(socket: Duplex, request: Omit<LookupRequest, 'apiKey'>): Promise<void> {
    const response = await endpoint({ ...request, apiKey: undefined });
    await connections.idle(socket);
    close(socket, toText(response));
  }
}

function close(socket: Duplex, lastWords: string): void {
  socket.end(lastWords);
  // What still arrives is read and dropped: if it were not, the response could be lost.
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

/** RFC 9110, 10.1.1: a server may. No body is read, so no 100 (Continue) is sent. */
function ignoreExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Opened in advance, for a request that never came. */
const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0;

/** A response as it goes over the wire (RFC 9112), on a connection that ends with it. */
function toText({ status, headers, body }: LookupResponse): string {
  const fields = {
    ...headers,
    Date: new Date().toUTCString(),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
