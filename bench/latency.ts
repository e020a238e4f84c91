// Measures the warm latency of one client in each mode, and the throughput of 32.

import { hammer, timeCalls } from './client.ts';
import { serve } from './peers.ts';
import { cpuMs } from './processFigures.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { percentile } from './statistics.ts';
import { writeKey, writeSubjects, writeWallet } from './subjects.ts';

const ROUNDS = 8;
const CALLS_A_ROUND = 150;
const WARM_UP_CALLS = 400;
const CLIENTS = 32;
const HAMMER_CALLS = 1_500;
const CONTESTANTS = ['straightforward', 'service'] as const;
const MODES = ['wallet', 'email', 'token'] as const;

type Samples = Record<(typeof CONTESTANTS)[number], number[]>;
const noSamples = (): Samples => ({ straightforward: [], service: [] });

/** Warm latency and throughput, of wallets with five attestations. */
export async function measureLatency(): Promise<Row[]> {
  const key = await writeKey();
  const queries = await writeSubjects(await writeWallet(5));
  const served = {
    straightforward: await serve('straightforward'),
    service: await serve('service'),
  };
  const target = (contestant: keyof Samples, mode: (typeof MODES)[number]) => ({
    url: `${served[contestant].url}?${queries[mode]}`,
    key,
  });

  const rows: Row[] = [];
  for (const mode of MODES) {
    const middle = noSamples();
    const tail = noSamples();
    for (const contestant of CONTESTANTS) await timeCalls(target(contestant, mode), WARM_UP_CALLS);
    await eachRound(`latency by ${mode}`, ROUNDS, async (round) => {
      for (const contestant of inTurn(round)) {
        const times = await timeCalls(target(contestant, mode), CALLS_A_ROUND);
        middle[contestant].push(percentile(times, 0.5));
        tail[contestant].push(percentile(times, 0.99));
      }
    });
    const row = { section: 'warm latency', unit: 'ms', peer: 'straightforward' };
    const wanted = mode === 'wallet' ? { target: 0.8 } : {};
    rows.push(
      compare(
        { ...row, ...wanted, measure: `${mode}, p50` },
        middle.service,
        middle.straightforward,
      ),
      compare({ ...row, measure: `${mode}, p99` }, tail.service, tail.straightforward),
    );
  }

  const cpu = noSamples();
  const duration = noSamples();
  await eachRound('throughput', ROUNDS, async (round) => {
    for (const contestant of inTurn(round)) {
      const { pid } = served[contestant].process;
      const before = cpuMs(pid);
      const ms = await hammer(target(contestant, 'wallet'), CLIENTS, HAMMER_CALLS);
      cpu[contestant].push((cpuMs(pid) - before) / HAMMER_CALLS);
      duration[contestant].push(ms / HAMMER_CALLS);
    }
  });
  for (const contestant of CONTESTANTS) await served[contestant].stop();
  const row = { section: `${CLIENTS} clients`, peer: 'straightforward' };
  rows.push(
    compare(
      { ...row, measure: 'CPU per lookup', unit: 'ms', target: 0.9 },
      cpu.service,
      cpu.straightforward,
    ),
    compare(
      { ...row, measure: 'time per lookup', unit: 'ms' },
      duration.service,
      duration.straightforward,
    ),
  );
  return rows;
}

/** The order alternates from round to round, so that neither always has the warmer machine. */
const inTurn = (round: number): readonly (typeof CONTESTANTS)[number][] =>
  round % 2 === 0 ? CONTESTANTS : CONTESTANTS.toReversed();
