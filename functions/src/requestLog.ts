// The request log: one structured line per request, in the form that Cloud Logging understands.
// Never a key, its whole hash, a wallet, an e-mail address or a token.

import { redact } from './redaction.ts';

export interface LogEntry {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

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
