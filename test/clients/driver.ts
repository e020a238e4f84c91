// Runs jobs with the client in TypeScript. See drivers.ts.

import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { Client, Refused, Unavailable, walletMark } from '../../clients/typescript/index.ts';
import type { Job, Outcome } from './drivers.ts';

async function run(job: Job): Promise<unknown> {
  const { url, key, subject, subjects, atOnce, timeout = 240, pause = 0.01 } = job;
  // One of many lookups has the limit of its client, and a single one its own.
  const limits = { timeout: (subjects ? timeout : 240) * 1000, pause: pause * 1000 };
  const client = new Client({ url, key, ...limits });
  if (!subjects) {
    const options = { timeout: timeout * 1000 };
    const { result, evidence } = await client.lookUpWithEvidence(subject as never, options);
    const printed = inspect(client, { depth: 9, showHidden: true });
    return { result, evidence, walletMark: walletMark(result) ?? null, printed };
  }
  const found = [];
  for await (const each of client.lookUpMany(subjects as { token: string }[], { atOnce })) {
    const { subject, done, total, result, error } = each;
    const isHuman = result?.hasVerifiedHuman ?? null;
    const code = error instanceof Refused ? error.code : null;
    found.push({ token: subject.token, done, total, isHuman, code });
  }
  return found;
}

async function outcomeOf(job: Job): Promise<Outcome> {
  try {
    return { kind: 'ok', text: '', value: await run(job) };
  } catch (error) {
    const text = inspect(error, { depth: 9, showHidden: true });
    if (error instanceof TypeError) return { kind: 'invalid', text };
    if (error instanceof Unavailable) return { ...error, kind: 'unavailable', text };
    if (!(error instanceof Refused)) throw error;
    return { ...error, isAboutSubject: error.isAboutSubject, kind: 'refused', text };
  }
}

const outcomes: Outcome[] = [];
for (const jobs of (await json(process.stdin)) as Job[][])
  outcomes.push(...(await Promise.all(jobs.map(outcomeOf))));
console.log(JSON.stringify(outcomes));
