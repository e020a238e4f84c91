// The id of a request, which is sent in the response and logged.

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

// Google's front end sends its trace id, 32 hex digits, in these two headers.
const CLOUD_TRACE = /^([0-9a-f]{32})(?:[/;]|$)/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/** @returns the platform's trace id (32 hex digits) if there is one, otherwise a new UUID */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const cloudTrace = CLOUD_TRACE.exec(String(headers['x-cloud-trace-context']))?.[1];
  const traceParent = TRACE_PARENT.exec(String(headers['traceparent']))?.[1];
  return cloudTrace ?? traceParent ?? randomUUID();
}
