// The three measurements: the cold start, the CPU of a lookup on a warm instance, and the memory of an instance.

import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { Failure } from '../../admin/terminal/failure.ts';
import { startProgress } from '../../admin/terminal/progress.ts';
import { formatCount } from '../../admin/terminal/table.ts';
import { bundle } from '../build.ts';
import { EMULATED_PROJECT } from '../sandbox/emulatorAddresses.ts';
import { call, cpuMs, hammer, peakMemoryMiB } from '../sandbox/measuring.ts';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';
import { KEY, type Size, walletOf } from './database.ts';
import { compare, type Row, Samples } from './table.ts';

type Env = Record<string, string>;

/** The files of the compared functions. */
const FILES = {
  service: 'functions/lib/index.cjs',
  empty: 'tools/bench/lib/empty/index.cjs',
  careful: 'tools/bench/lib/careful/index.cjs',
} as const;
type Contestant = keyof typeof FILES;

/** Bundles the peers in the same way as the function. */
export async function buildPeers(): Promise<void> {
  for (const peer of ['empty', 'careful'] as const) {
    await bundle(`tools/bench/peers/${peer}.ts`, FILES[peer]);
  }
}

/**
 * Serves a function with the variables of a deployment while it is measured.
 *
 * @param env the variables of the database
 * @throws Failure with the function's log, because a status 500 does not tell the cause
 */
async function serving<T>(
  contestant: Contestant,
  env: Env,
  measure: (served: ServedFunction) => Promise<T>,
): Promise<T> {
  const platform = {
    NODE_ENV: 'production',
    // The emulators' own variable would hide the double's metadata server from the SDK.
    METADATA_SERVER_DETECTION: 'assume-present',
    K_REVISION: 'pohattestationsendpoint-00001-abc',
    GCLOUD_PROJECT: EMULATED_PROJECT,
    GOOGLE_CLOUD_PROJECT: EMULATED_PROJECT,
  };
  const served = await startFunction({ ...env, ...platform }, FILES[contestant]);
  try {
    await served.listening;
    return await measure(served);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const log = `Log of ${contestant}:\n${served.output()}`;
    throw new Failure(`The benchmark failed: ${reason}\n${log}`, { cause: error });
  } finally {
    await served.stop();
  }
}

const targetOf = ({ url }: ServedFunction, size: Size) => ({
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
  const progress = startProgress(rounds, `rounds of ${title}`);
  for (let round = 1; round <= rounds; round += 1) {
    const order = contestants
      .map((contestant) => ({ contestant, at: Math.random() }))
      .sort((a, b) => a.at - b.at);
    for (const { contestant } of order) await measure(contestant);
    progress.report(round);
  }
  progress.end();
}

/** Measures the CPU from the start of the process to the first 200 of a lookup. */
export async function measureColdStart(env: Env): Promise<Row[]> {
  const contestants = ['service', 'empty', 'careful'] as const;
  let samples = new Samples();
  const agent = new Agent();
  const measure = (contestant: Contestant) =>
    serving(contestant, env, async (served) => {
      await call(targetOf(served, 5), agent);
      samples.add(contestant, cpuMs(served.process.pid));
    });
  // The first start reads files that are not in the page cache.
  await eachRound('cold start (warm-up)', 1, contestants, measure);
  samples = new Samples();
  await eachRound('cold start', 24, contestants, measure);
  const row = { measure: 'cold start, CPU to the first 200', unit: 'ms' };
  return [
    compare(samples, 'empty', {
      ...row,
      target: { ratio: 1.5, because: 'above it, find out what `index.ts` loads' },
    }),
    compare(samples, 'careful', {
      ...row,
      target: { ratio: 0.5, because: "above it, Google's SDK would be the simpler choice" },
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
    // Over gRPC, the SDK takes half as much CPU as over REST.
    ratio: 0.25,
  },
  { size: 1_000, clients: 8, calls: 16, warmUpCalls: 100, ratio: 0.5 },
] as const;
/** Some processes of the same build take 5 % more CPU than others throughout their lives. */
const PROCESSES = 2;

/** Measures the CPU of a lookup on a warm instance. */
export async function measureLookups(env: Env): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { size, clients, calls, warmUpCalls, ratio } of WORKLOADS) {
    const samples = new Samples();
    const title = `${formatCount(size)} attestations`;
    for (let set = 1; set <= PROCESSES; set += 1) {
      await serving('service', env, (service) =>
        serving('careful', env, async (careful) => {
          const processes = { service, careful };
          const bodies = new Set<string>();
          for (const served of Object.values(processes)) {
            await hammer(targetOf(served, size), clients, warmUpCalls);
            bodies.add(await call(targetOf(served, size), new Agent()));
          }
          if (bodies.size > 1) throw new Error('The functions returned different bodies.');
          const rounds = `${title}, set ${set} of ${PROCESSES}`;
          await eachRound(rounds, 5, ['service', 'careful'] as const, async (contestant) => {
            const served = processes[contestant];
            const before = cpuMs(served.process.pid);
            await hammer(targetOf(served, size), clients, calls);
            samples.add(contestant, (cpuMs(served.process.pid) - before) / calls);
          });
        }),
      );
    }
    rows.push(
      compare(samples, 'careful', {
        measure: `CPU per lookup, ${title}`,
        unit: 'ms',
        target: { ratio, because: 'above it, our own client is not worth its lines' },
      }),
    );
  }
  return rows;
}

/** Measures the peak memory of an instance at its configured concurrency. */
export async function measureMemory(env: Env): Promise<Row[]> {
  // The platform configuration that the built function declares. Loading it needs the project.
  process.env['GCLOUD_PROJECT'] = EMULATED_PROJECT;
  const { __endpoint: configured } = createRequire(import.meta.url)(`../../${FILES.service}`)
    .pohAttestationsEndpoint as { __endpoint: { availableMemoryMb: number; concurrency: number } };
  const { availableMemoryMb, concurrency } = configured;
  const rows: Row[] = [];
  for (const { size, waves } of [
    { size: 1_000, waves: 4 },
    { size: 10_000, waves: 1 },
  ] as const) {
    const samples = new Samples();
    const measure = `${concurrency} concurrent lookups of ${formatCount(size)} attestations`;
    await eachRound(measure, 3, ['service'] as const, (contestant) =>
      serving(contestant, env, async (served) => {
        const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
        for (let wave = 0; wave < waves; wave += 1) {
          const lookups = Array.from({ length: concurrency }, () =>
            call(targetOf(served, size), agent),
          );
          // A lookup may take too long, because the function, the database and the clients share the machine.
          const outcomes = await Promise.allSettled(lookups);
          samples.add('failed', outcomes.filter(({ status }) => status === 'rejected').length);
        }
        agent.destroy();
        samples.add('service', peakMemoryMiB(served.process.pid));
      }),
    );
    samples.add('configured', availableMemoryMb);
    const failed = Math.max(...samples.of('failed'));
    rows.push(
      compare(samples, 'configured', {
        measure: `${measure}, peak memory${failed > 0 ? ` (${failed} returned 500)` : ''}`,
        unit: 'MiB',
        target: { ratio: 0.5, because: 'above it, an instance needs more memory or fewer lookups' },
      }),
    );
  }
  return rows;
}
