// Serves the built function during the whole run, in addition to the Functions emulator. At the end of the run,
// searches both logs for the values that the tests used.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { collectUsedValues, searchLog } from './usedValues.ts';

/** firebase-tools writes the log of the emulated function to this file. */
const EMULATOR_LOG = 'firebase-debug.log';
const FUNCTION_LINE = '{"severity":';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!process.env['FIRESTORE_EMULATOR_HOST']) {
    throw new Error('The emulators are not running. Use `npm run emulators -- npx vitest ...`.');
  }
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
    if (leaks.length > 0) {
      throw new Error(
        `The log contains ${leaks.length} of ${used} used values:\n${leaks.join('\n')}`,
      );
    }
    const entries = served.output().split(FUNCTION_LINE).length - 1;
    const searched =
      `${entries} log entries of the served function and ${emulated.length} of the emulator ` +
      `for ${used} keys, subjects and their hashes`;
    console.log(`Searched ${searched}, and found none.`);
    // Less in a whole run means that the search has lost a log or the values.
    const isEnough = entries >= 400 && emulated.length >= 40 && used >= 300;
    if (!isEnough && (await isWholeRun(project))) {
      throw new Error(`The search of the logs had too little to search: ${searched}`);
    }
  };
}

/** Whether every test of the emulators has run, and not only some files or the tests of one name. */
async function isWholeRun(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const ran = project.vitest.state.getTestModules().filter((module) => module.project === project);
  const isNarrowed = project.vitest.config.testNamePattern !== undefined;
  return project.name === 'emulator' && !isNarrowed && ran.length === testFiles.length;
}
