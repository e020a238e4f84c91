// Responds to what Node does not pass on as a request: what its parser refuses, and the method CONNECT.

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

/** Responds as the endpoint does, on each server of this process that listens from now on, and closes the connection. */
export function respondToMalformedRequests(endpoint: Endpoint, inFlight: InFlight): void {
  onServer((server) => {
    server.on('connect', ({ method = '', headers }, socket) => {
      // Node no longer listens for them.
      socket.on('error', () => socket.destroy());
      const target = { path: '/', query: '' };
      void refuse(socket, { method, target, requestId: requestIdOf(headers) });
    });
    server.on('clientError', (_error, socket) => {
      if (isUnused(socket)) socket.destroy();
      // Emitted again for each further piece that arrives.
      else if (socket.writable) {
        void refuse(socket, { method: '', target: undefined, requestId: requestIdOf({}) });
      }
    });
  });

  async function refuse(socket: Duplex, request: Omit<LookupRequest, 'apiKey'>): Promise<void> {
    // A response that is still to be sent on this connection would be mixed up with this one.
    if (inFlight.closeAfter(socket)) return;
    const response = await endpoint({ ...request, apiKey: undefined });
    socket.end(toText(response));
    // What still arrives is read and dropped: if it were not, the response could be lost.
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  }
}

/** Preconnected but never used. */
const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0;

/** A response as it is sent (RFC 9112). */
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
