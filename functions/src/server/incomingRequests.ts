// Reads each request before functions-framework does, and removes what the framework would act on by itself: a method or
// target that Express answers with HTML or prints, and a body that it would read into memory.

import type { IncomingMessage } from 'node:http';
import type { LookupRequest } from '../lookup/endpoint.ts';
import { splitTarget } from '../lookup/requestTarget.ts';
import { requestIdOf } from './requestId.ts';
import { onRequestStart } from './serverEvents.ts';

type Incoming = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion'>;

/** The requests of this process as they were received. */
export class IncomingRequests {
  readonly #received = new WeakMap<Incoming, LookupRequest>();

  /** Reads each request from now on. */
  constructor() {
    onRequestStart(({ request, response }) => {
      const received = this.#receive(request);
      // What follows on the connection of either one could not be told from it.
      if (!received.target || request.headers.upgrade) response.shouldKeepAlive = false;
    });
  }

  /** The request as it was received. The Functions emulator's own server is not watched. */
  received(request: Incoming): LookupRequest {
    return this.#received.get(request) ?? readRequest(request);
  }

  #receive(request: Incoming): LookupRequest {
    const received = readRequest(request);
    this.#received.set(request, received);
    request.method = 'GET';
    request.url = '/';
    // Node itself would respond to a request without it.
    request.headers.host ??= '';
    // No body is read: no header may announce one, or ask whether to send it.
    delete request.headers['content-length'];
    delete request.headers['transfer-encoding'];
    delete request.headers.expect;
    return received;
  }
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
