// Collects every key, wallet, e-mail address and token that the suite uses, whichever process uses
// it, so that at the end everything that was logged can be searched for them.

import { appendFileSync, readFileSync } from 'node:fs';
import { hashApiKey } from '../../records/apiKey.ts';

const FILE = 'USED_VALUES_FILE';
/** Shorter values are no secrets, and would be found in any log. */
const LENGTH_MIN = 8;

/** Says where values are collected, for this process and those that it starts. */
export function collectUsedValues(file: string): void {
  process.env[FILE] = file;
}

export function noteUsed(...values: readonly (string | null | undefined)[]): void {
  const file = process.env[FILE];
  const lines = values
    .filter((value) => value != null && value.length >= LENGTH_MIN)
    .map((value) => `${JSON.stringify(value)}\n`);
  if (file !== undefined && lines.length > 0) appendFileSync(file, lines.join(''));
}

/**
 * @param log everything that was logged
 * @returns how many values were used, and the lines of the log that contain one or its hash
 */
export function searchLog(log: string): { used: number; leaks: string[] } {
  const lines = readFileSync(process.env[FILE] ?? '', 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const used = new Set(lines.map((line): string => JSON.parse(line)));
  const leaks = [...used]
    .flatMap((value) => [value, hashApiKey(value)])
    .filter((value) => log.includes(value))
    .map((value) => log.split('\n').find((line) => line.includes(value)) ?? '');
  return { used: used.size, leaks };
}
