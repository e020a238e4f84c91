// Prints results alone on standard output, and everything else on standard error.

import { escapeForTerminal, safeJson } from '../../terminal/escape.ts';
import { Failure } from '../../terminal/failure.ts';
import { clipColumns, formatTable } from '../../terminal/table.ts';
import { currentRun } from './run.ts';

/** Prints a message for the user that is not the result. */
export const note = (text: string): void => void currentRun().stderr.write(`${text}\n`);

/** As a shell reports a process that a closed pipe has ended. */
const BROKEN_PIPE = 141;

/** Whoever reads standard output has seen enough: there is nothing to tell them. */
export class ClosedOutput extends Failure {
  constructor(cause: Error) {
    super('', { exitStatus: BROKEN_PIPE, cause });
  }
}

/** Prints a result; rejects with `ClosedOutput` when the reader has closed the pipe. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    currentRun().stdout.write(text, (error) => {
      if (!error) resolve();
      else reject('code' in error && error.code === 'EPIPE' ? new ClosedOutput(error) : error);
    });
  });
}

/** Prints a secret alone: in a pipe a line end would become part of what is stored. */
export function printSecret(secret: string): Promise<void> {
  if (currentRun().stdout.isTTY) return print(`${secret}\n`);
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = process.env;
  if (script === 'admin' && level !== 'silent') {
    note('npm has printed a header before it: only `npm run -s admin -- ...` prints it alone.');
  }
  return print(secret);
}

export const printJson = (value: unknown): Promise<void> => print(`${safeJson(value, 2)}\n`);

/** More would push what is right of it off the screen; the last column has room. */
const CELL_COLUMNS = 40;

/**
 * Prints rows under a heading, in columns; an undefined cell shows as a dash. What may be long or of
 * any script goes last: a long cell before is cut off, and one written from right to left would turn
 * the digits behind it around.
 *
 * @param columns what the table has to fit into, at the cost of the last column
 */
export const printTable = (
  heading: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  columns?: number,
): Promise<void> => {
  const last = heading.length - 1;
  const cells = rows.map((row) =>
    row.map((text = '-', column) => {
      const shown = escapeForTerminal(text);
      return column === last ? shown : clipColumns(shown, CELL_COLUMNS);
    }),
  );
  const lines = formatTable(heading, cells).split('\n');
  const shown = columns === undefined ? lines : lines.map((line) => clipColumns(line, columns));
  return print(`${shown.join('\n')}\n`);
};

/** A stored instant for a table, in UTC. */
export const minute = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

/** A stored instant for JSON: ISO 8601 in UTC. */
export const isoTime = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();
