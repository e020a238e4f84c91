// The request log has one line per request. It never contains a key, a key's whole hash, a wallet, an
// e-mail address or a token.

import { GoogleError } from './google/exchange.ts';

/** A log line, in Cloud Logging's structured format. */
export interface LogLine {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;

const TRACE = /^[0-9a-f]{32}$/;

/** Links a line to Google Cloud's own line about the request, if the request id is its trace id. */
export const traceField = (projectId: string, requestId: unknown) =>
  TRACE.test(String(requestId)) && {
    'logging.googleapis.com/trace': `projects/${projectId}/traces/${requestId}`,
  };

/**
 * Describes an unexpected error and up to two nested causes, each by its name, its code and our own stack
 * frames. They cannot contain a value from the request. Messages from dependencies are left out, because
 * parsers quote their input.
 */
export function describeCause(error: unknown, depth = 1): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    name: isName(error.name) ? error.name : 'Error',
    ...(isName(code) && { code }),
    ...(error instanceof GoogleError && { message: error.message, ...error.details }),
    stack: ownFrames(error),
    ...(cause !== undefined && depth < 3 && { cause: describeCause(cause, depth + 1) }),
  };
}

/** Whether a value looks like the name of an error class or code, such as TypeError or ECONNRESET. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z_]{1,48}$/.test(value);

/** A stack frame in the built function, which may be deployed to any folder, or in its sources. */
const OWN_FRAME =
  /^ {4}at (?:async )?(?:(?<name>[\w$.<> [\]#]+) \()?(?!\S*\/node_modules\/)\S*\/(?<place>(?:index\.cjs|src\/[\w/.]+):\d+:\d+)\)?$/;

/** A stack begins with the name and the message. A line of the message may look like a frame, so skip it. */
function ownFrames({ message, stack = '' }: Error): string[] {
  // The name may repeat the message, so use the last occurrence of the message.
  const begin = message === '' ? 0 : stack.lastIndexOf(message);
  if (begin < 0) return [];
  return stack
    .slice(begin + message.length)
    .split('\n')
    .map((line) => OWN_FRAME.exec(line)?.groups)
    .filter((frame) => frame !== undefined)
    .map(({ name = 'anonymous', place }) => `${name} (${place})`);
}
