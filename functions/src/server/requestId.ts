// The id of a request, which its response and its log line carry.

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

// The two headers in which Google's front end passes its trace on, each with 32 hex digits.
const CLOUD_TRACE = /^([0-9a-f]{32})(?:[/;]|$)/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/** @returns the platform's trace id (32 hex digits) where there is one, else a fresh UUID */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const cloudTrace = CLOUD_TRACE.exec(String(headers['x-cloud-trace-context']))?.[1];
  const traceParent = TRACE_PARENT.exec(String(headers['traceparent']))?.[1];
  return cloudTrace ?? traceParent ?? randomUUID();
}
