// Prints only results on standard output, and everything else on standard error.

import { styleText } from 'node:util';
import { Failure } from '../terminal/failure.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { clipColumns, escapeForTerminal, formatTable, safeJson } from '../terminal/table.ts';
import { currentRun } from './run.ts';

/** Prints a message for the user that is not the result. */
export const note = (text: string): void => void currentRun().stderr.write(`${text}\n`);

/** The exit status of a process that was ended by a closed pipe. */
const BROKEN_PIPE = 141;

/** Prints a result. If the reader has closed the pipe, as `head` does, the failure needs no message. */
export function print(text: string): Promise<void> {
  const run = currentRun();
  const written = new Promise<void>((resolve, reject) => {
    run.stdout.write(text, (cause) => {
      if (!cause) resolve();
      else if (!('code' in cause) || cause.code !== 'EPIPE') reject(cause);
      else reject(new Failure('', { exitStatus: BROKEN_PIPE, cause }));
    });
  });
  // The reader of the output may take any time.
  return run.pause(written);
}

/** Shows "WARNING:" at the beginning of a line in colour, where the terminal has it. */
export const highlightWarnings = (text: string): string =>
  currentRun().stdout.isTTY
    ? text.replaceAll(/^WARNING:/gm, (word) => styleText('yellow', word))
    : text;

/** Prints a secret. In a pipe it omits the line end, which would become part of the stored secret. */
export function printSecret(secret: string): Promise<void> {
  if (currentRun().stdout.isTTY) return print(`${secret}\n`);
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = process.env;
  if (script === 'admin' && level !== 'silent') {
    note(
      'npm has printed a header before the secret. Use `npm run -s admin -- ...` to leave it out.',
    );
  }
  return print(secret);
}

export const printJson = (value: unknown): Promise<void> => print(`${safeJson(value, 2)}\n`);

/** On a terminal, a longer cell would push the columns to its right off the screen. */
const CELL_COLUMNS = 40;

/**
 * Prints rows in columns under a heading; a missing cell is shown as a dash. Text that may be long
 * or right-to-left belongs in the last column, which is wrapped to the width of a terminal. Other cells may be cut
 * off there, and right-to-left text would reorder the digits after it.
 */
export function printTable(
  heading: readonly string[],
  rows: readonly (readonly (string | null | undefined)[])[],
): Promise<void> {
  const { columns = Infinity } = currentRun().stdout;
  const last = heading.length - 1;
  const cells = rows.map((row) =>
    row.map((text, column) => {
      const shown = escapeForTerminal(text ?? '-');
      return column === last || columns === Infinity ? shown : clipColumns(shown, CELL_COLUMNS);
    }),
  );
  return print(`${formatTable(heading, cells, columns).join('\n')}\n`);
}

/** A stored time as ISO 8601 in UTC, or null if there is none. */
export const isoTime = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

/** Shortens the result of `isoTime` for a table, as in "2026-11-20 09:00". */
export const minuteOf = (iso: string | null): string | undefined =>
  iso?.slice(0, 16).replace('T', ' ');

/** Reports the progress of work on standard error. */
export const reportProgress = (unit: string): Progress =>
  startProgress(undefined, unit, currentRun().stderr);

/** Reads all pages, and reports their progress. @param unit what they contain, e.g. "tokens read" */
export async function collect<T>(pages: AsyncIterable<readonly T[]>, unit: string): Promise<T[]> {
  using progress = reportProgress(unit);
  const all: T[] = [];
  for await (const page of pages) {
    for (const one of page) all.push(one);
    progress.report(all.length);
  }
  return all;
}
