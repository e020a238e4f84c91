// Runs jobs with the client in TypeScript. See drivers.ts.

import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { Client, PohError, SubjectRefused, walletMark } from '../../clients/typescript/client.ts';
import type { Job, Outcome } from './drivers.ts';

async function run(job: Job, told: object[]): Promise<unknown> {
  const { url, key, subject, subjects, atOnce, pause = 0.01, maxWait } = job;
  const { allowPlainHttp = false } = job;
  const onAttempt = (attempt: object): void => {
    told.push({ ...attempt, keyEnds: client.keyEnds?.toISOString() ?? null });
  };
  const client = new Client({ url, key, allowPlainHttp, onAttempt, pause: pause * 1000 });
  const timeout = (job.timeout ?? 240) * 1000;
  if (!subjects) {
    const { result, evidence } = await client.lookUpWithEvidence(subject as never, { timeout });
    const printed = inspect(client, { depth: 9, showHidden: true });
    return { result, evidence, walletMark: walletMark(result) ?? null, printed };
  }
  const options = { timeout, atOnce, ...(maxWait && { maxWait: maxWait * 1000 }) };
  const found = [];
  for await (const each of client.lookUpMany(subjects as { token: string }[], options)) {
    const { subject, index, done, total, evidence, result, error } = each;
    const outcome = error ? failureOf(error) : { kind: 'ok' };
    const isHuman = result?.hasVerifiedHuman ?? null;
    const { token } = Object(subject);
    found.push({ token, index, done, total, isHuman, ...outcome, evidence: evidence ?? null });
  }
  return found;
}

/** @throws what the client does not document */
function failureOf(error: unknown): Omit<Outcome, 'told'> {
  const text = inspect(error, { depth: 9, showHidden: true });
  if (error instanceof TypeError) return { kind: 'invalid', text };
  if (!(error instanceof PohError)) throw error;
  const { name, status, code, requestId, retryAfter } = error;
  const evidence = error instanceof SubjectRefused ? (error.evidence ?? null) : null;
  return { kind: name, status, code, requestId, retryAfter, evidence, text };
}

async function outcomeOf(job: Job): Promise<Outcome> {
  const told: Outcome['told'] = [];
  try {
    return { kind: 'ok', text: '', value: await run(job, told), told };
  } catch (error) {
    return { ...failureOf(error), told };
  }
}

const outcomes: Outcome[] = [];
for (const jobs of (await json(process.stdin)) as Job[][])
  outcomes.push(...(await Promise.all(jobs.map(outcomeOf))));
console.log(JSON.stringify(outcomes));
