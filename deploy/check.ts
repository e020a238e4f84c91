// What the scheduled job runs: compares the settings that carry the security with the project, and logs one line, as a
// WARNING if something differs.

import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { Failure, runScript } from '../cli/terminal/failure.ts';
import { FOLDERS, Google, type Outside } from './google.ts';
import { Plan } from './plan.ts';
import { parseProject, readSettings } from './settings.ts';
import { readTable, wordsOf } from './table.ts';

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
  sleep: (ms) => setTimeout(ms),
  say: () => undefined,
  ask: undefined,
  folders: FOLDERS,
};

await runScript(async () => {
  const project = parseProject(process.env['GOOGLE_CLOUD_PROJECT'] ?? '');
  const words = wordsOf(project, readSettings(project, outside.folders.settings), undefined);
  const { before, after } = readTable(words);
  const plan = new Plan(new Google(outside, project, readToken), words);
  const secure = [...before, ...after].filter(({ raw }) => raw['security']);
  const found = await plan.differencesOf(secure);
  console.log(
    JSON.stringify({
      severity: found.length > 0 ? 'WARNING' : 'INFO',
      message: 'drift',
      found: found.length,
      differences: found.map(({ what, difference }) => `${what}: ${difference}`),
    }),
  );
  return 0;
});
