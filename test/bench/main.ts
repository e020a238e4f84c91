// The benchmark. `npm run bench` prints the table of docs/architecture.md. Progress is written to standard error.

import { deepStrictEqual } from 'node:assert';
import { cpus, loadavg } from 'node:os';
import { runScript } from '../../cli/terminal/failure.ts';
import { startProgress } from '../../cli/terminal/progress.ts';
import { bundle } from '../../tools/build.ts';
import { startFunction, underGooglesFramework } from '../../tools/sandbox/servedFunction.ts';
import { KEY, SIZES, startDatabase, walletOf } from './database.ts';
import { call, cpuMs, hammer, peakMemoryMiB } from './measuring.ts';

/** What Node runs for each, the service as production starts it. */
const PROGRAMS = {
  service: undefined,
  empty: underGooglesFramework('test/bench/lib/empty/index.cjs'),
  careful: underGooglesFramework('test/bench/lib/careful/index.cjs'),
  raw: ['test/bench/lib/raw/index.cjs'],
};
type Contestant = keyof typeof PROGRAMS;
const CONTESTANTS = Object.keys(PROGRAMS) as Contestant[];

const ROUNDS = Number(process.argv[2] ?? 5);
/** How many lookups of a wallet with so many attestations are measured, after as many to warm up. */
const callsFor = (size: number): number => Math.ceil(300 / (1 + size / 100));
const CLIENTS = 8;
const [COLD_WALL, COLD_CPU] = ['time to the first 200, ms', 'CPU to the first 200, ms'];
const CPU = (size: number) => `CPU per lookup, attestations: ${size.toLocaleString('en')}, ms`;
const [COLD_PEAK, PEAK] = ['peak memory to the first 200, MiB', 'peak memory, MiB'];

type Sample = Partial<Record<string, number>>;

/** Measures a fresh process, because some take 5 % more CPU than others throughout their lives. */
async function measure(contestant: Contestant, env: Record<string, string>): Promise<Sample> {
  const startedAt = performance.now();
  const served = await startFunction({ ...env, NODE_ENV: 'production' }, PROGRAMS[contestant]);
  const { pid } = served.process;
  const target = (size: number) => ({ url: `${served.url}?wallet=${walletOf(size)}`, key: KEY });
  try {
    await served.listening;
    await call(target(1));
    const sample: Sample = {
      [COLD_WALL]: performance.now() - startedAt,
      [COLD_CPU]: cpuMs(pid),
      [COLD_PEAK]: peakMemoryMiB(pid),
    };
    // It looks nothing up.
    if (contestant === 'empty') return sample;
    for (const size of SIZES) {
      const calls = callsFor(size);
      await hammer(target(size), CLIENTS, calls);
      const before = cpuMs(pid);
      if ((await hammer(target(size), CLIENTS, calls)) > 0) throw new Error('a lookup failed');
      sample[CPU(size)] = (cpuMs(pid) - before) / calls;
    }
    return { ...sample, [PEAK]: peakMemoryMiB(pid) };
  } catch (error) {
    // A status 500 does not tell the cause.
    throw new Error(`${contestant}: ${error}\n${served.output()}`, { cause: error });
  } finally {
    await served.stop();
  }
}

async function bodyOf(contestant: Contestant, env: Record<string, string>): Promise<unknown> {
  const served = await startFunction(env, PROGRAMS[contestant]);
  await served.listening;
  const body = await call({ url: `${served.url}?wallet=${walletOf(1_000)}`, key: KEY });
  await served.stop();
  return JSON.parse(body);
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const medianOf = (values: readonly number[]): number =>
  sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Prints a row for each measure: the service's median, and the median, least and greatest ratio to each peer. */
function report(rounds: readonly Record<Contestant, Sample>[]): void {
  const peers = CONTESTANTS.slice(1);
  console.log(`| measure | this service | ${peers.map((peer) => `/ ${peer}`).join(' | ')} |`);
  console.log(`|---|---|${peers.map(() => '---|').join('')}`);
  for (const measured of [COLD_WALL, COLD_CPU, COLD_PEAK, ...SIZES.map(CPU), PEAK]) {
    const own = rounds.map(({ service }) => service[measured] ?? Number.NaN);
    const cells = peers.map((peer) => {
      const ratios = rounds.flatMap((round, index) => {
        const theirs = round[peer][measured];
        return theirs === undefined ? [] : (own[index] ?? Number.NaN) / theirs;
      });
      if (ratios.length === 0) return '';
      const [least = 0, greatest = 0] = [sorted(ratios)[0], sorted(ratios).at(-1)];
      return `${medianOf(ratios).toFixed(2)} (${least.toFixed(2)}–${greatest.toFixed(2)})`;
    });
    console.log(`| ${measured} | ${medianOf(own).toPrecision(3)} | ${cells.join(' | ')} |`);
  }
}

await runScript(async () => {
  // In the same way as the function.
  for (const peer of CONTESTANTS.slice(1)) {
    await bundle(`test/bench/peers/${peer}.ts`, `test/bench/lib/${peer}/index.cjs`);
  }
  const { env, close } = await startDatabase();
  const variables = { ...env, LOOKUP_READS_PER_SECOND: '0' };
  try {
    for (const peer of ['careful', 'raw'] as const) {
      deepStrictEqual(await bodyOf(peer, variables), await bodyOf('service', variables));
    }
    const rounds: Record<Contestant, Sample>[] = [];
    using progress = startProgress(ROUNDS, 'rounds');
    // The first round is not counted, because it reads files that are not in the page cache.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const samples: [Contestant, Sample][] = [];
      for (const contestant of CONTESTANTS) {
        samples.push([contestant, await measure(contestant, variables)]);
      }
      if (round > 0) rounds.push(Object.fromEntries(samples) as Record<Contestant, Sample>);
      progress.report(round);
    }
    report(rounds);
  } finally {
    close();
  }
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `\nMeasured with Node ${process.versions.node} on ${cpus().length} cores, ${ROUNDS} rounds, load ${load}.`,
  );
  return 0;
});
