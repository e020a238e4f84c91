// Owns what must be mended in a request before the platform's framework handles it: there, some
// paths and bodies are answered without our JSON, and any body is read into memory, key or not.

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { splitTarget } from './requestTarget.ts';

/** Published by Node for each request, before anybody handles it. */
const REQUEST_START = 'http.server.request.start';
/** Stands for every path that is not served: each of them reaches the endpoint, to be refused. */
const UNSERVED_PATH = '/unserved';

/** Mends each request of this process from now on. */
export function mendIncomingRequests(): void {
  subscribe(REQUEST_START, (message) => mend((message as { request: IncomingMessage }).request));
}

export function mend(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  if (splitTarget(request.url ?? '').path !== '/') request.url = UNSERVED_PATH;
  // No request has a body that is looked at, so none is said to be there.
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
}
