// The three measurements: the cold start, the CPU of a lookup on a warm instance, and the memory of an instance.

import { createRequire } from 'node:module';
import { startProgress } from '../../admin/terminal/progress.ts';
import { formatCount } from '../../admin/terminal/table.ts';
import { EMULATED_PROJECT } from '../sandbox/emulatorAddresses.ts';
import { call, cpuMs, hammer, peakMemoryMiB } from '../sandbox/measuring.ts';
import {
  CAREFUL_PEERS,
  type Contestant,
  type Running,
  SERVICE,
  withServed,
} from './contestants.ts';
import { KEY, type Size, walletOf } from './database.ts';
import { bestOf, compare, type Row, Samples } from './table.ts';

type Env = Record<string, string>;

const targetOf = (url: string, size: Size) => ({
  url: `${url}?wallet=${walletOf(size)}`,
  key: KEY,
});

/**
 * Measures in rounds of random order, so that no contestant always runs on a warmer machine. Reports progress on
 * standard error, because standard output is for the table.
 */
async function eachRound<T>(
  title: string,
  rounds: number,
  contestants: readonly T[],
  measure: (contestant: T) => Promise<void>,
): Promise<void> {
  using progress = startProgress(rounds, `rounds of ${title}`);
  for (let round = 1; round <= rounds; round += 1) {
    const order = contestants
      .map((contestant) => ({ contestant, at: Math.random() }))
      .sort((a, b) => a.at - b.at);
    for (const { contestant } of order) await measure(contestant);
    progress.report(round);
  }
}

/** Measures the CPU from the start of the process to the first 200 of a lookup. */
export async function measureColdStart(env: Env): Promise<Row[]> {
  const contestants = ['service', 'empty', ...CAREFUL_PEERS] as const;
  let samples = new Samples();
  const measure = (contestant: Contestant) =>
    withServed([contestant], env, async ({ url, process: { pid } }) => {
      await call(targetOf(url, 5));
      samples.add(contestant, cpuMs(pid));
    });
  // The first start reads files that are not in the page cache.
  await eachRound('cold start (warm-up)', 1, contestants, measure);
  samples = new Samples();
  await eachRound('cold start', 24, contestants, measure);
  const row = { measure: 'cold start, CPU to the first 200', unit: 'ms' };
  return [
    compare(samples, 'empty', {
      ...row,
      target: { ratio: 1.5, aboveIt: 'find out what `index.ts` loads' },
    }),
    compare(samples, bestOf(samples, CAREFUL_PEERS), {
      ...row,
      target: { ratio: 0.5, aboveIt: "use Google's SDK, which is simpler" },
    }),
  ];
}

const WORKLOADS = [
  {
    size: 5,
    clients: 32,
    calls: 200,
    // Enough calls for V8 to finish optimizing.
    warmUpCalls: 3_000,
  },
  { size: 1_000, clients: 8, calls: 16, warmUpCalls: 100 },
] as const;
/** Some processes of the same build take 5 % more CPU than others throughout their lives. */
const PROCESSES = 2;

/** Measures the CPU of a lookup on a warm instance. */
export async function measureLookups(env: Env): Promise<Row[]> {
  const rows: Row[] = [];
  for (const workload of WORKLOADS) {
    const samples = new Samples();
    for (let set = 1; set <= PROCESSES; set += 1) {
      const title = `${formatCount(workload.size)} attestations, set ${set} of ${PROCESSES}`;
      await withServed(['service', ...CAREFUL_PEERS], env, (...running) =>
        measureSet(workload, title, running, samples),
      );
    }
    rows.push(
      compare(samples, bestOf(samples, CAREFUL_PEERS), {
        measure: `CPU per lookup, ${formatCount(workload.size)} attestations`,
        unit: 'ms',
        target: { ratio: 0.5, aboveIt: "use Google's SDK instead of our own client" },
      }),
    );
  }
  return rows;
}

async function measureSet(
  { size, clients, calls, warmUpCalls }: (typeof WORKLOADS)[number],
  title: string,
  running: readonly Running[],
  samples: Samples,
): Promise<void> {
  const bodies = new Set<string>();
  for (const { url } of running) {
    await hammer(targetOf(url, size), clients, warmUpCalls);
    bodies.add(await call(targetOf(url, size)));
  }
  if (bodies.size > 1) throw new Error('The functions returned different bodies.');
  await eachRound(title, 5, running, async ({ contestant, url, process: { pid } }) => {
    const before = cpuMs(pid);
    if ((await hammer(targetOf(url, size), clients, calls)) > 0)
      throw new Error('A lookup failed.');
    samples.add(contestant, (cpuMs(pid) - before) / calls);
  });
}

/** Measures the peak memory of an instance at its configured concurrency. */
export async function measureMemory(env: Env): Promise<Row[]> {
  // The platform configuration that the built function declares. Loading it needs the project.
  process.env['GCLOUD_PROJECT'] = EMULATED_PROJECT;
  const { __endpoint: configured } = createRequire(import.meta.url)(`../../${SERVICE}`)
    .pohAttestationsEndpoint as { __endpoint: { availableMemoryMb: number; concurrency: number } };
  const { availableMemoryMb, concurrency } = configured;
  const rows: Row[] = [];
  for (const { size, calls } of [
    { size: 1_000, calls: 4 * concurrency },
    { size: 10_000, calls: concurrency },
  ] as const) {
    const samples = new Samples();
    const measure = `${concurrency} concurrent lookups of ${formatCount(size)} attestations`;
    let failed = 0;
    await eachRound(measure, 3, ['service'] as const, (contestant) =>
      withServed([contestant], env, async ({ url, process: { pid } }) => {
        // A lookup may take too long, because the function, the database and the clients share the machine.
        failed += await hammer(targetOf(url, size), concurrency, calls);
        samples.add('service', peakMemoryMiB(pid));
      }),
    );
    samples.add('configured', availableMemoryMb);
    rows.push(
      compare(samples, 'configured', {
        measure: `${measure}, peak memory${failed > 0 ? ` (${failed} returned 500)` : ''}`,
        unit: 'MiB',
        target: {
          ratio: 0.75,
          aboveIt: 'give an instance more memory or fewer lookups',
        },
      }),
    );
  }
  return rows;
}
