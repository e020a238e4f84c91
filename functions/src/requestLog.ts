// The request log: one structured line per request, in the form that Cloud Logging understands.
// Never a key, its whole hash, a wallet, an e-mail address or a token.

import { redact } from './redaction.ts';
import type { Outcome } from './response.ts';
import type { Mode } from './subject.ts';

export interface LogEntry {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/** What a request's line may contain, and what it must not: filled in as the request proceeds. */
export interface LogContext {
  mode?: Mode;
  /** Of a key that has a record, active or not; any other leaves no trace. */
  key?: { readonly project: string | undefined; readonly keyId: string } | undefined;
  count?: number;
  readonly secrets: (string | undefined)[];
}

/** The one line of a request. */
export function lookupEntry(
  requestId: string,
  outcome: Outcome,
  { mode, key, count, secrets }: LogContext,
  durationMs: number,
): LogEntry {
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
    ...('cause' in outcome && { cause: describeCause(outcome.cause, secrets) }),
  };
}

/**
 * Describes an unexpected error for the log: its name, code and stack (with the message), with every
 * one of the request's own values redacted, since a dependency may repeat them.
 */
export function describeCause(error: unknown, secrets: readonly (string | undefined)[]) {
  const { name, code, stack } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { name: typeof error, code: undefined, stack: String(error) };
  const values = secrets.filter((secret) => secret !== undefined).filter((secret) => secret !== '');
  return {
    name: redact(name, values),
    code: typeof code === 'string' ? redact(code, values) : code,
    stack: redact(stack ?? name, values),
  };
}
