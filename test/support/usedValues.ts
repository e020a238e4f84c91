// Collects every key, wallet, e-mail address and token that the tests use, in all of their processes. At the
// end of a run, the logs are searched for these values.

import { appendFileSync, readFileSync } from 'node:fs';
import { hashApiKey } from '../../records/apiKey.ts';

const FILE_VARIABLE = 'USED_VALUES_FILE';
/** Shorter values are not secret, and any log would contain them. */
const LENGTH_MIN = 8;

/** Sets the file in which this process and its children collect values. */
export function collectUsedValues(file: string): void {
  process.env[FILE_VARIABLE] = file;
}

export function recordUsed(...values: readonly (string | null | undefined)[]): void {
  const file = process.env[FILE_VARIABLE];
  const lines = values
    .filter((value) => value != null && value.length >= LENGTH_MIN)
    .map((value) => `${JSON.stringify(value)}\n`);
  if (file !== undefined && lines.length > 0) appendFileSync(file, lines.join(''));
}

/**
 * @param log everything that was logged
 * @returns the number of used values, and the log lines that contain a value or its hash
 */
export function searchLog(log: string): { used: number; leaks: string[] } {
  const lines = readFileSync(process.env[FILE_VARIABLE] ?? '', 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const used = new Set(lines.map((line): string => JSON.parse(line)));
  const leaks = [...used]
    .flatMap((value) => [value, hashApiKey(value)])
    .filter((value) => log.includes(value))
    .map((value) => log.split('\n').find((line) => line.includes(value)) ?? '');
  return { used: used.size, leaks };
}
