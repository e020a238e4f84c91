// Prints results alone on standard output, and everything else on standard error.

import { formatTable } from '../terminal/table.ts';

/** Prints something for the person at the keyboard that is not the result. */
export const note = (text: string): void => console.error(text);

/** Prints a result; rejects when nobody reads it any more. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Prints a secret alone: in a pipe a line end would become part of what is stored. */
export function printSecret(secret: string): Promise<void> {
  if (process.stdout.isTTY) return print(`${secret}\n`);
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = process.env;
  if (script === 'admin' && level !== 'silent') {
    note('npm has printed a header before it: only `npm run -s admin -- ...` prints it alone.');
  }
  return print(secret);
}

export const printJson = (value: unknown): Promise<void> =>
  print(`${JSON.stringify(value, null, 2)}\n`);

/** Prints rows under a heading, in columns; an undefined cell shows as a dash. */
export const printTable = (
  heading: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): Promise<void> =>
  print(
    `${formatTable(
      heading,
      rows.map((row) => row.map(cell)),
    )}\n`,
  );

// A control character in a stored text could rewrite what the terminal shows.
const cell = (text = '-'): string => text.replaceAll(/\p{Cc}/gu, ' ');

/** A stored instant for a table, in UTC. */
export const minute = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

/** A stored instant for JSON: ISO 8601 in UTC. */
export const isoTime = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();
