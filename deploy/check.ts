// What the scheduled job runs: compares the settings that carry the security with the project, and logs one line, as a
// WARNING if something differs.

import * as z from 'zod';
import { Failure, runScript } from '../cli/terminal/failure.ts';
import { FOLDERS, Google, type Outside } from './google.ts';
import { type Difference, Plan } from './plan.ts';
import { parseProject, readSettings } from './settings.ts';
import { type Entry, readTable } from './state.ts';
import { wordsOf } from './words.ts';

/** @returns what differs, without changing anything */
export async function differencesOf(plan: Plan, entries: readonly Entry[]): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const entry of entries) {
    // What is needed depends on what was found before.
    if (!plan.isNeeded(entry)) continue;
    const { what, differences } = await plan.read(entry, false);
    found.push(...differences.map((one) => ({ what, ...one })));
  }
  return found;
}

const TOKEN =
  'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';

async function readToken(): Promise<string> {
  const headers = { 'Metadata-Flavor': 'Google' };
  const reply = await fetch(TOKEN, { headers }).catch((cause: unknown) => {
    throw new Failure('There is no metadata server. Run this in the scheduled job.', { cause });
  });
  return z.object({ access_token: z.string() }).parse(await reply.json()).access_token;
}

const outside: Outside = {
  run: () => Promise.reject(new Error('The job runs no program')),
  fetch,
  sleep: () => Promise.resolve(),
  say: () => undefined,
  ask: undefined,
  folders: FOLDERS,
};

if (import.meta.main) {
  await runScript(async () => {
    const project = parseProject(process.env['GOOGLE_CLOUD_PROJECT'] ?? '');
    const words = wordsOf(project, readSettings(project, outside.folders.settings), undefined);
    const { before, after } = readTable(words);
    const google = new Google(outside, project, readToken);
    const secure = [...before, ...after].filter(({ security }) => security);
    const differences = await differencesOf(new Plan(google, words), secure);
    const severity = differences.length > 0 ? 'WARNING' : 'INFO';
    const texts = differences.map(({ what, difference }) => `${what}: ${difference}`);
    console.log(
      JSON.stringify({ severity, message: 'drift', found: differences.length, differences: texts }),
    );
    return 0;
  });
}
