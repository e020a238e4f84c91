// Owns what is logged: one structured line per request, in the form Cloud Logging understands.
// Never a key, its hash, a wallet, an e-mail address or a token.

export interface LogEntry {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/**
 * Describes an unexpected error for the log: its name, code, message and stack, with every one
 * of the request's own values taken out, since a dependency may repeat what it was asked.
 */
export function describeCause(error: unknown, secrets: readonly (string | undefined)[]) {
  const { name, code, stack } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { name: typeof error, code: undefined, stack: String(error) };
  let text = stack ?? name;
  for (const secret of secrets) {
    if (secret) text = text.replaceAll(secret, '[redacted]');
  }
  return { name, code, stack: text };
}
