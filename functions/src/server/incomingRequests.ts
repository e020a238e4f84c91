// Reads each request before functions-framework does, and removes the parts that the framework would
// act on. Express logs some methods and targets or answers them with HTML, and the framework reads
// bodies into memory.

import type { IncomingMessage } from 'node:http';
import type { LookupRequest } from '../lookup/endpoint.ts';
import { splitTarget } from '../lookup/requestTarget.ts';
import { requestIdOf } from './requestId.ts';
import { onRequestStart } from './serverEvents.ts';

const RECEIVED = Symbol('received request');
type Incoming = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion'
> & { [RECEIVED]?: LookupRequest };

/** Reads each request of this process from now on. */
export function readIncomingRequests(): void {
  onRequestStart(({ request, response }) => {
    const { target } = intercept(request);
    // Later requests on the connection could not be distinguished from the rest of this one.
    if (!target || request.headers.upgrade) response.shouldKeepAlive = false;
  });
}

/** The request as it was received. */
export const received = (request: Incoming): LookupRequest =>
  request[RECEIVED] ?? readRequest(request);

function intercept(request: Incoming): LookupRequest {
  // Stored on the request, because an entry of a WeakMap is collected much later.
  const read = readRequest(request);
  request[RECEIVED] = read;
  request.method = 'GET';
  request.url = '/';
  // Without a Host header, Node would respond itself.
  request.headers.host ??= '';
  // The body is not read, so remove the headers that announce it or ask whether to send it.
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
  delete request.headers.expect;
  return read;
}

export function readRequest(request: Incoming): LookupRequest {
  const { method = '', url = '', headers } = request;
  const apiKey = headers['x-poh-api-key'];
  return {
    method,
    target: isValid(request) ? splitTarget(url) : undefined,
    apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
    requestId: requestIdOf(headers),
  };
}

const HOST = 'host';

/**
 * Exactly one Host is required (RFC 9112, 3.2). The version is checked because Node's parser also
 * accepts others, and RTSP.
 */
function isValid({ httpVersion, rawHeaders }: Incoming): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return httpVersion === '1.1' && hosts === 1;
}
