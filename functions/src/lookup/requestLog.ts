// The request log: one line per request. Never a key, its whole hash, a wallet, an e-mail address or a token.

import { GoogleError } from '../google/googleError.ts';
import { DeadlineError } from '../timeLimits.ts';
import type { LogLine } from './logLine.ts';
import type { Outcome } from './response.ts';
import type { Mode } from './subject.ts';

/** What a request's line contains, filled in as the request proceeds. */
export interface LogContext {
  mode?: Mode;
  /** Of a key that has a record, active or not; any other leaves no trace. */
  key?: { readonly project: string | undefined; readonly keyId: string } | undefined;
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

/** How many causes of causes are described. */
const DEPTH_MAX = 3;

/**
 * Describes an unexpected error by what cannot contain a value of the request: its name and code, and our own stack frames.
 * The message of an error that is not ours is left out, since a parser quotes what it could not parse.
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

/** As an error class or a code is named: ECONNRESET, ERR_INVALID_URL, TypeError. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z_]{1,48}$/.test(value);

/** A stack frame in the built function, in whatever folder it is deployed to, or in its sources. */
const OWN_FRAME =
  /^ {4}at (?:async )?(?:(?<name>[\w$.<> [\]]+) \()?(?!\S*\/node_modules\/)\S*\/(?<place>(?:index\.cjs|src\/[\w/.]+):\d+:\d+)\)?$/;

/** The stack begins with the name and the message, whose lines may look like frames. */
function ownFrames({ message, stack = '' }: Error): string[] {
  // The name may repeat the message, so its last occurrence counts.
  const begin = message === '' ? 0 : stack.lastIndexOf(message);
  if (begin < 0) return [];
  return stack
    .slice(begin + message.length)
    .split('\n')
    .map((line) => OWN_FRAME.exec(line)?.groups)
    .filter((frame) => frame !== undefined)
    .map(({ name = 'anonymous', place }) => `${name} (${place})`);
}
