// Normalizes requests before functions-framework handles them: it would respond to some paths and
// bodies without our JSON, and read any body into memory, key or not.

import type { IncomingMessage } from 'node:http';
import { splitTarget } from '../requestTarget.ts';
import { onRequestStart } from './requestStart.ts';

/** Stands for every path that is not served: each of them reaches the endpoint, to be refused. */
const UNSERVED_PATH = '/unserved';

/** Normalizes each request of this process from now on. */
export function normalizeIncomingRequests(): void {
  onRequestStart(({ request }) => normalize(request));
}

export function normalize(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  if (splitTarget(request.url ?? '').path !== '/') request.url = UNSERVED_PATH;
  // No body is ever read, so none is announced.
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
}
