// The benchmark. `npm run bench` prints the table of docs/speed.md. Progress is written to standard error.

import { deepStrictEqual } from 'node:assert';
import { cpus } from 'node:os';
import { runScript } from '../../cli/terminal/failure.ts';
import { startProgress } from '../../cli/terminal/progress.ts';
import { bundle } from '../../tools/build.ts';
import { startFunction } from '../../tools/sandbox/servedFunction.ts';
import { call, cpuMs, hammer, peakMemoryMiB } from '../support/measuring.ts';
import { KEY, startDatabase, walletOf } from './database.ts';

const FILES = {
  service: 'functions/lib/index.cjs',
  empty: 'test/bench/lib/empty/index.cjs',
  careful: 'test/bench/lib/careful/index.cjs',
} as const;
type Contestant = keyof typeof FILES;

const ROUNDS = 9;
const CONCURRENCY = 80;

const targetOf = (url: string, size: number) => ({
  url: `${url}?wallet=${walletOf(size)}`,
  key: KEY,
});

const percentile = (samples: readonly number[], part: number): number =>
  samples.toSorted((a, b) => a - b)[Math.round((samples.length - 1) * part)] ?? Number.NaN;

/** A median with its quartiles, e.g. `3.42 ms (3.31–3.60)`. */
function format(samples: readonly number[], unit: string): string {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) =>
    Number(percentile(samples, part).toPrecision(3)),
  );
  return `${median} ${unit} (${low}–${high})`;
}

/** Runs `use` on a fresh process, because some take 5 % more CPU than others throughout their lives. */
async function withServed<T>(
  contestant: Contestant,
  env: Record<string, string>,
  use: (url: string, pid: number | undefined) => Promise<T>,
): Promise<T> {
  const served = await startFunction({ ...env, NODE_ENV: 'production' }, FILES[contestant]);
  try {
    await served.listening;
    return await use(served.url, served.process.pid);
  } catch (error) {
    // A status 500 does not tell the cause.
    throw new Error(`${contestant}: ${error}\n${served.output()}`, { cause: error });
  } finally {
    await served.stop();
  }
}

/** @returns the exit status */
async function compareAll(env: Record<string, string>): Promise<number> {
  let isMet = true;

  /**
   * Prints a row of the table.
   *
   * @param limit the highest acceptable ratio of the medians
   * @param sample takes one sample of a function that has just begun to listen
   */
  async function compare(
    title: string,
    unit: 'ms' | 'MiB',
    peer: Contestant,
    limit: number,
    sample: (url: string, pid: number | undefined) => Promise<number>,
  ): Promise<void> {
    const pairs: [number, number][] = [];
    using progress = startProgress(ROUNDS, `rounds of ${title}`);
    for (let round = 0; round <= ROUNDS; round += 1) {
      pairs.push([await withServed('service', env, sample), await withServed(peer, env, sample)]);
      progress.report(round);
    }
    // The first pair is not counted, because it reads files that are not in the page cache.
    const ours = pairs.slice(1).map(([our]) => our);
    const theirs = pairs.slice(1).map(([, their]) => their);
    const ratio = percentile(ours, 0.5) / percentile(theirs, 0.5);
    const values = `${format(ours, unit)} | ${peer} ${format(theirs, unit)}`;
    console.log(`| ${title} | ${values} | ${ratio.toFixed(2)} | ${limit.toFixed(2)} |`);
    isMet &&= ratio <= limit;
  }

  const body = async (url: string) => JSON.parse(await call(targetOf(url, 1_000)));
  deepStrictEqual(await withServed('careful', env, body), await withServed('service', env, body));
  console.log('| measure | this service | compared with | ratio | at most |');
  console.log('|---|---|---|---|---|');
  for (const [peer, limit] of Object.entries({ empty: 1.5, careful: 0.5 })) {
    const title = 'cold start, CPU to the first 200';
    await compare(title, 'ms', peer as Contestant, limit, async (url, pid) => {
      await call(targetOf(url, 5));
      return cpuMs(pid);
    });
  }
  for (const size of [5, 1_000] as const) {
    const [clients, calls] = size === 5 ? [32, 3_000] : [8, 100];
    const title = `CPU per lookup, ${size} attestations`;
    await compare(title, 'ms', 'careful', 0.5, async (url, pid) => {
      // Enough for V8 to finish optimizing.
      await hammer(targetOf(url, size), clients, calls);
      const before = cpuMs(pid);
      const failed = await hammer(targetOf(url, size), clients, calls);
      if (failed > 0) throw new Error('a lookup failed');
      return (cpuMs(pid) - before) / calls;
    });
  }
  const title = `peak memory, ${CONCURRENCY} concurrent lookups of 1,000 attestations`;
  await compare(title, 'MiB', 'careful', 1, async (url, pid) => {
    // Some may take too long and fail, because the function, the database and the clients share the machine.
    await hammer(targetOf(url, 1_000), CONCURRENCY, 2 * CONCURRENCY);
    return peakMemoryMiB(pid);
  });
  console.log(`\nMeasured with Node ${process.versions.node} on ${cpus().length} cores.`);
  return isMet ? 0 : 1;
}

await runScript(async () => {
  // In the same way as the function.
  for (const peer of ['empty', 'careful'] as const) {
    await bundle(`test/bench/peers/${peer}.ts`, FILES[peer]);
  }
  const database = await startDatabase();
  return await compareAll(database.env).finally(database.close);
});
