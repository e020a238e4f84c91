// Reads each request before functions-framework does, and removes what the framework would act on by itself: a method or
// target that Express answers with HTML or prints, and a body that it would read into memory.

import type { IncomingMessage } from 'node:http';
import type { LookupRequest } from '../lookup/endpoint.ts';
import { splitTarget } from '../lookup/requestTarget.ts';
import { requestIdOf } from './requestId.ts';
import { onRequestStart } from './serverEvents.ts';

const RECEIVED = Symbol('as it was received');
type Incoming = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion'
> & { [RECEIVED]?: LookupRequest };

/** Reads each request of this process from now on. */
export function readIncomingRequests(): void {
  onRequestStart(({ request, response }) => {
    const { target } = readBefore(request);
    // What follows on the connection of either one could not be told from it.
    if (!target || request.headers.upgrade) response.shouldKeepAlive = false;
  });
}

/** The request as it was received. */
export const received = (request: Incoming): LookupRequest =>
  request[RECEIVED] ?? readRequest(request);

function readBefore(request: Incoming): LookupRequest {
  // On the request itself: a WeakMap would keep it through many garbage collections.
  const read = readRequest(request);
  request[RECEIVED] = read;
  request.method = 'GET';
  request.url = '/';
  // Node itself would respond to a request without it.
  request.headers.host ??= '';
  // No body is read: no header may announce one, or ask whether to send it.
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

/** RFC 9112, 3.2: exactly one Host. Node's parser takes other versions too, and RTSP. */
function isValid({ httpVersion, rawHeaders }: Incoming): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return httpVersion === '1.1' && hosts === 1;
}
