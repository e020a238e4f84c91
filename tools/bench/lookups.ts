// Measures the CPU time of a lookup on a warm instance, with the prepared database.

import { Agent } from 'node:http';
import { call, hammer } from '../sandbox/httpCall.ts';
import { cpuMs } from '../sandbox/processFigures.ts';
import { CAREFUL_PEERS, type Contestant, serve } from './contestants.ts';
import { EMAIL, KEY, walletOf } from './data.ts';
import { eachRound, Samples } from './rounds.ts';
import { compareWith, type Row, type RowFields } from './rows.ts';

const ROUNDS = 5;
/** Some processes of the same build take 5 % more CPU than others throughout their lives. */
const PROCESSES = 2;

interface Workload {
  readonly title: string;
  readonly query: string;
  readonly clients: number;
  /** Calls in a round. */
  readonly calls: number;
  /** Enough calls for V8 to finish optimizing. */
  readonly warmUpCalls: number;
  readonly contestants: readonly [Contestant, ...Contestant[]];
  /** Each row compares the first contestant with the best of these peers. */
  readonly rows: readonly { peers: readonly Contestant[]; target?: RowFields['target'] }[];
}

const WORKLOADS: readonly Workload[] = [
  {
    title: '5 attestations',
    query: `wallet=${walletOf(5)}`,
    clients: 32,
    calls: 200,
    warmUpCalls: 3_000,
    contestants: ['service', 'service again', ...CAREFUL_PEERS],
    rows: [
      {
        peers: CAREFUL_PEERS,
        target: {
          ratio: 0.2,
          because: 'a custom client must serve five times as many lookups',
        },
      },
      { peers: ['service again'] },
    ],
  },
  {
    title: '1,000 attestations',
    query: `wallet=${walletOf(1_000)}`,
    clients: 8,
    calls: 16,
    warmUpCalls: 100,
    contestants: ['service', 'service again', ...CAREFUL_PEERS],
    rows: [
      {
        peers: CAREFUL_PEERS,
        target: { ratio: 0.12, because: 'CPU decides how many large wallets are read in time' },
      },
      { peers: ['service again'] },
    ],
  },
  {
    title: '5 attestations, by e-mail',
    query: `email=${EMAIL}`,
    clients: 32,
    calls: 100,
    warmUpCalls: 600,
    contestants: ['service', ...CAREFUL_PEERS],
    rows: [{ peers: CAREFUL_PEERS }],
  },
  {
    title: '5 attestations, signed',
    query: `wallet=${walletOf(5)}`,
    clients: 32,
    calls: 300,
    warmUpCalls: 3_000,
    contestants: ['signed', 'service'],
    rows: [
      {
        peers: ['service'],
        target: { ratio: 1.15, because: 'signing must not require more instances' },
      },
    ],
  },
];

/** @param env names the prepared database */
export async function measureLookups(env: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { rows: compared, ...workload } of WORKLOADS) {
    const samples = new Samples();
    for (let index = 1; index <= PROCESSES; index += 1) {
      const title = `${workload.title}, set ${index} of ${PROCESSES}`;
      await measureProcesses({ ...workload, title }, env, samples);
    }
    const row = { section: 'CPU per lookup', measure: workload.title, unit: 'ms' };
    for (const { peers, target } of compared) {
      const fields = { ...row, target };
      rows.push(compareWith(peers, samples, 'CPU', fields, workload.contestants[0]));
    }
  }
  return rows;
}

async function measureProcesses(
  { title, query, clients, calls, warmUpCalls, contestants }: Omit<Workload, 'rows'>,
  env: Record<string, string>,
  samples: Samples,
): Promise<void> {
  const processes = await Promise.all(
    contestants.map(async (contestant) => {
      const { url, process, stop } = await serve(contestant, env);
      return { contestant, pid: process.pid, target: { url: `${url}?${query}`, key: KEY }, stop };
    }),
  );
  const bodies = new Map<string, Contestant>();
  for (const { contestant, target } of processes) {
    await hammer(target, clients, warmUpCalls);
    bodies.set(await call(target, new Agent()), contestant);
  }
  if (bodies.size > 1) throw new Error(`bodies differ: ${[...bodies.values()].join('; ')}`);
  await eachRound(title, ROUNDS, processes, async ({ contestant, pid, target }) => {
    const before = cpuMs(pid);
    await hammer(target, clients, calls);
    samples.add(contestant, 'CPU', (cpuMs(pid) - before) / calls);
  });
  for (const { stop } of processes) await stop();
}
