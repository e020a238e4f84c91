// Runs jobs with the client in TypeScript. See drivers.ts.

import cluster from 'node:cluster';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import {
  Client,
  Refused,
  supports,
  Unavailable,
  votedIn,
  walletMark,
} from '../../clients/typescript/index.ts';

/** Looks up a group in a process of a cluster, or in a thread, by turns. */
const inWorker =
  (url: string, key: string) =>
  async (group: object[], index: number): Promise<unknown> => {
    const exec = fileURLToPath(new URL('worker.ts', import.meta.url));
    const task = { url, key, group };
    if (index % 2) return (await once(new Worker(exec, { workerData: task }), 'message'))[0];
    cluster.setupPrimary({ exec });
    const child = cluster.fork({ TASK: JSON.stringify(task) });
    const [found] = await once(child, 'message');
    child.kill();
    return found;
  };

// biome-ignore lint/suspicious/noExplicitAny: the jobs come from drivers.ts as JSON
async function run(job: any): Promise<unknown> {
  if (job.action === 'read') {
    const { result, proposal } = job;
    return {
      votedIn: votedIn(result, proposal),
      supports: supports(result, proposal),
      walletMark: walletMark(result) ?? null,
    };
  }
  const { url, key, through, timeout = 240 } = job;
  const own: typeof fetch = (address, init) =>
    fetch(String(address).replace(/(?<=\/\/)[^/]+/, through ?? '$&'), init);
  // One of many lookups has the limit of its client, and a single one its own.
  const limits = { timeout: (job.action === 'many' ? timeout : 240) * 1000, pause: 10 };
  const client = new Client({ url, key, ...limits, ...(through && { fetch: own }) });
  if (job.action === 'processes') {
    await client.lookUp({ token: 'human-parent-0' });
    const found = await Promise.all(job.groups.map(inWorker(url, key)));
    await client.lookUp({ token: 'human-parent-1' });
    return found;
  }
  if (job.action === 'many') {
    const found = [];
    for await (const each of client.lookUpMany(job.subjects, { atOnce: job.atOnce })) {
      found.push({
        token: each.subject.token,
        done: each.done,
        total: each.total,
        isHuman: each.result?.hasVerifiedHuman ?? null,
        code: each.error instanceof Refused ? each.error.code : null,
      });
    }
    return { found, peakKiB: process.resourceUsage().maxRSS };
  }
  const { result, evidence } = await client.lookUpWithEvidence(job.subject, {
    timeout: timeout * 1000,
  });
  return { result, evidence, printed: inspect(client, { depth: 9, showHidden: true }) };
}

const jobs = (await json(process.stdin)) as unknown[];
const outcomes = jobs.map(async (job) => {
  try {
    return { kind: 'ok', text: '', value: await run(job) };
  } catch (error) {
    const text = inspect(error, { depth: 9, showHidden: true });
    if (error instanceof Refused || error instanceof Unavailable) {
      const { name, ...fields } = error;
      const more = error instanceof Refused && { isAboutSubject: error.isAboutSubject };
      return { ...fields, ...more, kind: name.toLowerCase(), text };
    }
    if (error instanceof TypeError) return { kind: 'invalid', text };
    // The client threw an error that it does not document, so drivers.ts refuses this kind.
    return { kind: text, text };
  }
});
console.log(JSON.stringify(await Promise.all(outcomes)));
