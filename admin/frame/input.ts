// Reads a file that the command line names.

import { readFileSync } from 'node:fs';
import { usageFailure } from '../terminal/failure.ts';

/**
 * @param advice a sentence that says what to do
 * @throws Failure (exit status 2) when the file cannot be read
 */
export function readInput(file: string, advice: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw usageFailure(`${file} cannot be read. ${advice}`, cause);
  }
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
