// Serves the built function once for the whole suite, beside the Functions emulator; in the end
// searches what the two have logged.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { serveFunction } from '../../sandbox/servedFunction.ts';
import { collectUsedValues, searchLog } from './usedValues.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    servedUrl: string;
  }
}

/** Where firebase-tools writes down what the function logs in the emulator. */
const EMULATOR_LOG = 'firebase-debug.log';
const FUNCTION_LINE = '{"severity":';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  openEmulators();
  const usedValues = join(mkdtempSync(join(tmpdir(), 'used-values-')), 'values.jsonl');
  writeFileSync(usedValues, '', { mode: 0o600 });
  collectUsedValues(usedValues);
  const served = await serveFunction();
  project.provide('servedUrl', served.url);
  return async () => {
    await served.stop();
    const emulated = readFileSync(EMULATOR_LOG, 'utf8')
      .split('\n')
      .filter((line) => line.includes(FUNCTION_LINE));
    const { used, leaks } = searchLog([served.output(), ...emulated].join('\n'));
    rmSync(dirname(usedValues), { recursive: true });
    if (leaks.length > 0) {
      throw new Error(`The log contains ${leaks.length} of ${used} values:\n${leaks.join('\n')}`);
    }
    const entries = served.output().split(FUNCTION_LINE).length - 1 + emulated.length;
    console.log(
      `Searched ${entries} log entries for ${used} keys, subjects and their hashes: none.`,
    );
  };
}
