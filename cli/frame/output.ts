// Prints only results on standard output, and everything else on standard error.

import { styleText } from 'node:util';
import { Failure } from '../terminal/failure.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { escapeForTerminal, escapeLines, formatTable, safeJson } from '../terminal/table.ts';
import { currentRun } from './run.ts';

/** Prints a message for the user that is not the result. */
export const note = (text: string): void =>
  void currentRun().stderr.write(`${escapeLines(text)}\n`);

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

/**
 * Prints a secret. In a pipe it omits the line end, which would become part of the stored secret.
 *
 * @param ifLost the message if it could not be printed
 */
export const printSecret = (secret: string, ifLost: string): Promise<void> =>
  print(secret + (currentRun().stdout.isTTY ? '\n' : '')).catch((cause: unknown) => {
    throw new Failure(ifLost, { cause });
  });

export const printJson = (value: unknown): Promise<void> => print(`${safeJson(value, 2)}\n`);

/**
 * Prints rows in columns under a heading; a missing cell is shown as a dash. Text that may be long or right-to-left
 * belongs in the last column, which is wrapped to the width of a terminal. Elsewhere, it would push the other columns off
 * the screen, and reorder the digits after it.
 *
 * @param columns the text of a row's cell, by its heading
 */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string | null | undefined>>,
): Promise<void> {
  const cells = rows.map((row) =>
    Object.values(columns).map((textOf) => escapeForTerminal(textOf(row) ?? '-')),
  );
  const lines = formatTable(Object.keys(columns), cells, currentRun().stdout.columns);
  return print(`${lines.join('\n')}\n`);
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
