// Serves the built function during the whole run, in addition to the Functions emulator. At the end of the run,
// searches both logs for the values that the tests used, and prints what the machine was too busy for.

import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { DEMONSTRATION } from '../../contract/examples.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { requireNewerThan } from './builds.ts';
import { findLeaks, recorded, recordIn, recordUsed } from './usedValues.ts';

/** firebase-tools writes the log of the emulated function to this file. */
const EMULATOR_LOG = 'firebase-debug.log';
const FUNCTION_LINE = '{"severity":';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!process.env['FIRESTORE_EMULATOR_HOST']) {
    throw new Error('The emulators are not running. Use `npm run emulators -- npx vitest ...`.');
  }
  const requireBuild = async (): Promise<void> =>
    requireNewerThan(
      'functions/{src,framework},contract,records',
      'functions/lib/index.cjs',
      'npm run build',
    );
  await requireBuild();
  project.onTestsRerun(requireBuild);
  const file = join(mkdtempSync(join(tmpdir(), 'run-record-')), 'record.jsonl');
  writeFileSync(file, '', { mode: 0o600 });
  recordIn(file);
  recordUsed(DEMONSTRATION.key, DEMONSTRATION.revokedKey);
  // Emulators that were kept running have logged earlier runs.
  const { size: loggedBefore } = statSync(EMULATOR_LOG);
  const served = await serveFunction();
  project.provide('servedUrl', served.url);
  project.provide('servedPid', served.process.pid ?? 0);
  return async () => {
    await served.stop();
    for (const [what, times] of Map.groupBy(recorded('busy'), String)) {
      console.warn(`Repeated ${times.length} times, because this machine was busy: ${what}`);
    }
    const [worst, ...others] = recorded('late').toSorted().reverse();
    if (worst !== undefined) {
      console.warn(
        `${others.length + 1} requests took longer because this machine was busy: ${worst}`,
      );
    }
    const emulated = readFileSync(EMULATOR_LOG)
      .toString('utf8', loggedBefore)
      .split('\n')
      .filter((line) => line.includes(FUNCTION_LINE));
    searchLog([served.output(), ...emulated].join('\n'));
  };
}

/** @throws if the log contains a value that the tests used, or if it or the record of the values is not complete */
function searchLog(log: string): void {
  const leaks = findLeaks(log);
  const [used, asked] = [new Set(recorded('used')), recorded('asked')];
  const keyIds = new Set([...used].map((value) => keyId(hashApiKey(value))));
  const logged = [...log.matchAll(/"keyId":"(\w+)"/g)].map(([, id = '']) => id);
  const faults = {
    'log lines contain a key, a subject or a hash': leaks,
    'requests are not in the log': asked.filter((id) => !log.includes(id)),
    'keys in the log were not recorded, so their subjects may be missing too': [
      ...new Set(logged.filter((id) => !keyIds.has(id))),
    ],
  };
  for (const [what, found] of Object.entries(faults)) {
    if (found.length > 0) throw new Error(`${found.length} ${what}:\n${found.join('\n')}`);
  }
  console.log(
    `Searched the log of ${asked.length} requests for ${used.size} keys and subjects, and found none.`,
  );
}
