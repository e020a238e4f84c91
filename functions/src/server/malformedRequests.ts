// Responds to the requests that Node does not emit as `request`: those that its parser refuses, and CONNECT.

import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LookupRequest } from '../lookup/endpoint.ts';
import type { LookupResponse } from '../lookup/response.ts';
import { LINGER_MS } from '../timeLimits.ts';
import type { InFlight } from './inFlight.ts';
import { requestIdOf } from './requestId.ts';
import { onServer } from './serverEvents.ts';

type Endpoint = (request: LookupRequest) => Promise<LookupResponse>;

/**
 * Sends the endpoint's response and closes the connection, on each server of this process that
 * listens from now on.
 */
export function respondToMalformedRequests(endpoint: Endpoint, inFlight: InFlight): void {
  onServer((server) => {
    server.on('connect', ({ method = '', headers }, socket) => {
      // Node no longer handles this socket's errors.
      socket.on('error', () => socket.destroy());
      const target = { path: '/', query: '' };
      void refuse(socket, { method, target, requestId: requestIdOf(headers) });
    });
    server.on('clientError', (_error, socket) => {
      if (isUnused(socket)) socket.destroy();
      // Node emits `clientError` again for each further piece of the request.
      else if (socket.writable) {
        void refuse(socket, { method: '', target: undefined, requestId: requestIdOf({}) });
      }
    });
  });

  async function refuse(socket: Duplex, request: Omit<LookupRequest, 'apiKey'>): Promise<void> {
    // If another response is still being sent on this connection, do not mix this one into it.
    if (inFlight.closeAfter(socket)) return;
    const response = await endpoint({ ...request, apiKey: undefined });
    socket.end(toText(response));
    // Read and drop the rest of the request. Unread data could reset the connection before the
    // response arrives.
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  }
}

/** Preconnected but never used. */
const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0;

/** Writes a response as HTTP/1.1 (RFC 9112). */
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
