// Measures what signing costs a lookup: the service with signatures beside the service without.

import { cpuMs } from '../testbed/processFigures.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../testbed/signingKey.ts';
import { percentile } from '../testbed/statistics.ts';
import { hammer, timeCalls } from './client.ts';
import { serve } from './peers.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { writeKey, writeWallet } from './subjects.ts';

const ROUNDS = 16;
const CALLS_A_ROUND = 150;
const WARM_UP_CALLS = 400;
const CLIENTS = 32;
const HAMMER_CALLS = 1_500;

export async function measureSignatures(): Promise<Row[]> {
  const key = await writeKey();
  const query = `?wallet=${await writeWallet(5)}`;
  const contestants = [
    await contestant({ ANSWER_SIGNING_KEY: pemOf(DEMONSTRATION_SIGNING_KEY) }),
    await contestant({}),
  ] as const;
  await eachRound('signatures', ROUNDS, async (round) => {
    const inTurn = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { target, pid, p50, cpu } of inTurn) {
      p50.push(percentile(await timeCalls(target, CALLS_A_ROUND), 0.5));
      const before = cpuMs(pid);
      await hammer(target, CLIENTS, HAMMER_CALLS);
      cpu.push((cpuMs(pid) - before) / HAMMER_CALLS);
    }
  });
  for (const { stop } of contestants) await stop();
  const [signed, unsigned] = contestants;
  const row = { section: 'signatures', unit: 'ms', peer: 'unsigned' };
  return [
    compare({ ...row, measure: 'wallet, p50', target: 1.1 }, signed.p50, unsigned.p50),
    compare({ ...row, measure: 'CPU per lookup', target: 1.15 }, signed.cpu, unsigned.cpu),
  ];

  async function contestant(env: Record<string, string>) {
    const served = await serve('service', env);
    const target = { url: `${served.url}${query}`, key };
    await timeCalls(target, WARM_UP_CALLS);
    const { stop, process } = served;
    return { target, stop, pid: process.pid, p50: [] as number[], cpu: [] as number[] };
  }
}
