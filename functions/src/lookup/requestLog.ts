// The request log has one line per request. It never contains a key, a key's whole hash, a wallet, an
// e-mail address or a token.

import { GoogleError } from '../google/googleError.ts';
import { DeadlineError } from '../timeLimits.ts';
import type { RecordedKey } from './apiKeys.ts';
import type { LogLine } from './logLine.ts';
import type { Outcome } from './response.ts';
import type { Mode } from './subject.ts';

/** The content of a request's log line, collected while the request is handled. */
export interface LogContext {
  mode?: Mode;
  /** Set for a key that has a record, active or not. Other keys are not logged. */
  key?: RecordedKey | undefined;
  count?: number;
}

export function lookupLine(
  requestId: string,
  outcome: Outcome,
  { mode, key, count }: LogContext,
  durationMs: number,
): LogLine {
  const { status, code } = outcome;
  return {
    severity: status >= 500 ? 'ERROR' : 'INFO',
    message: 'lookup',
    requestId,
    status,
    code,
    mode,
    project: key?.project,
    keyId: key?.keyId,
    count,
    durationMs,
    ...('cause' in outcome && { cause: describeCause(outcome.cause) }),
  };
}

/** How many nested causes are described. */
const DEPTH_MAX = 3;

/**
 * Describes an unexpected error by its name, its code and our own stack frames. They cannot contain a
 * value from the request. Messages from dependencies are left out, because parsers quote their input.
 */
export function describeCause(error: unknown, depth = 1): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const isOurs = error instanceof GoogleError || error instanceof DeadlineError;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    name: isName(error.name) ? error.name : 'Error',
    ...(isOurs && { message: error.message }),
    ...(isName(code) && { code }),
    ...(error instanceof GoogleError && error.details),
    stack: ownFrames(error),
    ...(cause !== undefined && depth < DEPTH_MAX && { cause: describeCause(cause, depth + 1) }),
  };
}

/** Whether a value looks like the name of an error class or code, such as TypeError or ECONNRESET. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z_]{1,48}$/.test(value);

/** A stack frame in the built function, which may be deployed to any folder, or in its sources. */
const OWN_FRAME =
  /^ {4}at (?:async )?(?:(?<name>[\w$.<> [\]]+) \()?(?!\S*\/node_modules\/)\S*\/(?<place>(?:index\.cjs|src\/[\w/.]+):\d+:\d+)\)?$/;

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
