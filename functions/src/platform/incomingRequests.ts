// Normalizes requests before functions-framework handles them: it would respond to some targets and
// bodies without our JSON, print a target that it cannot read, and read any body into memory.

import type { IncomingMessage } from 'node:http';
import { isServed, MALFORMED_PATH, splitTarget, UNSERVED_PATH } from '../requestTarget.ts';
import { onRequestStart } from './serverEvents.ts';

/** Normalizes each request of this process from now on. */
export function normalizeIncomingRequests(): void {
  onRequestStart(({ request }) => normalize(request));
}

type Normalized = Pick<IncomingMessage, 'url' | 'headers' | 'httpVersion'>;

export function normalize(request: Normalized): void {
  request.url = localTarget(request);
  // Without it, Node itself would respond.
  request.headers.host ??= '';
  // No body is ever read, so the headers that announce one are removed.
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
}

/** A path of our own, and the query only where a lookup is made of it. */
function localTarget({ url = '', headers, httpVersion }: Normalized): string {
  // RFC 9112, 3.2.
  if (httpVersion === '1.1' && headers.host === undefined) return MALFORMED_PATH;
  const { path, query } = splitTarget(url);
  return isServed(path) ? `/?${query}` : UNSERVED_PATH;
}
