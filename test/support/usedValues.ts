// Records, in all processes of a run, every key, wallet, e-mail address and token that the tests use, and what the machine
// was too busy for. At the end of the run, the logs are searched for the values, and the rest is printed.

import { appendFileSync, readFileSync } from 'node:fs';
import { hashApiKey } from '../../records/apiKey.ts';

const FILE_VARIABLE = 'RUN_RECORD_FILE';
/** Shorter values are not secret, and any log would contain them. */
const LENGTH_MIN = 8;

/**
 * `used` are values, `asked` the ids of requests to the two functions whose logs are searched, `busy` what was repeated,
 * and `late` how long a request took, because the machine was busy.
 */
type Kind = 'used' | 'asked' | 'busy' | 'late';

/** Sets the file in which this process and its children record. */
export function recordIn(file: string): void {
  process.env[FILE_VARIABLE] = file;
}

export function record(kind: Kind, ...texts: readonly string[]): void {
  const file = process.env[FILE_VARIABLE];
  const lines = texts.map((text) => `${JSON.stringify({ kind, text })}\n`);
  if (file !== undefined && lines.length > 0) appendFileSync(file, lines.join(''));
}

export const recordUsed = (...values: readonly (string | null | undefined)[]): void =>
  record(
    'used',
    ...values.filter((value) => value != null).filter(({ length }) => length >= LENGTH_MIN),
  );

/** @returns what was recorded so far */
export function recorded(kind: Kind): string[] {
  const lines = readFileSync(process.env[FILE_VARIABLE] ?? '', 'utf8')
    .split('\n')
    .filter(Boolean);
  const entries = lines.map((line): { kind: Kind; text: string } => JSON.parse(line));
  return entries.filter((entry) => entry.kind === kind).map(({ text }) => text);
}

/**
 * @param log everything that was logged
 * @returns the log lines that contain a used value or its hash
 */
export const findLeaks = (log: string): string[] =>
  [...new Set(recorded('used'))]
    .flatMap((value) => [value, hashApiKey(value)])
    .filter((value) => log.includes(value))
    .map((value) => log.split('\n').find((line) => line.includes(value)) ?? '');
