// Normalizes requests before functions-framework handles them: it would respond to some targets and
// bodies without our JSON, print a target that it cannot read, and read any body into memory.

import type { IncomingMessage } from 'node:http';
import { isServed, splitTarget, UNSERVED_PATH } from '../requestTarget.ts';
import { onRequestStart } from './requestStart.ts';

/** Normalizes each request of this process from now on. */
export function normalizeIncomingRequests(): void {
  onRequestStart(({ request }) => normalize(request));
}

export function normalize(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  // A path of our own, and the query only where a lookup is made of it.
  const { path, query } = splitTarget(request.url ?? '');
  request.url = isServed(path) ? `/?${query}` : UNSERVED_PATH;
  // No body is ever read, so none is announced.
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
}
