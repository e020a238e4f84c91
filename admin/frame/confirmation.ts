// Asks for confirmation before a change.

import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Failure, INTERRUPTED, usageFailure } from '../terminal/failure.ts';

/** @throws Failure unless standard input and standard error are terminals */
export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw usageFailure(
    'A confirmation needs a terminal. Add --yes to change a production project without one.',
  );
}

/**
 * Asks on standard error, since standard output may be piped elsewhere.
 *
 * @throws Failure unless the answer is yes
 */
export async function confirm(
  question: string,
  input: Readable = process.stdin,
  output: Writable = process.stderr,
): Promise<void> {
  const terminal = createInterface({ input, output });
  const ended = new AbortController();
  terminal.once('SIGINT', () => ended.abort(INTERRUPTED));
  terminal.once('close', () => ended.abort());
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal: ended.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('Nothing was changed.');
  } catch (cause) {
    if (!ended.signal.aborted) throw cause;
    const interrupted = ended.signal.reason === INTERRUPTED;
    throw new Failure('Nothing was changed.', {
      cause,
      ...(interrupted && { exitStatus: INTERRUPTED }),
    });
  } finally {
    terminal.close();
  }
}
