// Asks for confirmation before something is changed.

import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Failure, usageFailure } from '../../terminal/failure.ts';

/** As a shell reports a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** @throws Failure unless standard input and standard error are a terminal */
export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw usageFailure(
    'There is no terminal for a confirmation: add --yes to change a production project.',
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
  const leaving = new AbortController();
  terminal.once('SIGINT', () => leaving.abort(INTERRUPTED));
  terminal.once('close', () => leaving.abort());
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal: leaving.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('Nothing was changed.');
  } catch (cause) {
    if (!leaving.signal.aborted) throw cause;
    const interrupted = leaving.signal.reason === INTERRUPTED;
    throw new Failure('Nothing was changed.', {
      cause,
      ...(interrupted && { exitStatus: INTERRUPTED }),
    });
  } finally {
    terminal.close();
  }
}
