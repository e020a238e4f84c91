// Measures what signing costs a lookup: the service with signatures beside the service without.

import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../sandbox/signingKey.ts';
import { hammer, timeCalls } from './client.ts';
import { serve } from './peers.ts';
import { cpuMs } from './processFigures.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { percentile } from './statistics.ts';
import { writeKey, writeWallet } from './subjects.ts';

/** Each with processes of its own: of one build, some take 6 % more CPU than others for all their life. */
const ROUNDS = 20;
/** Short, so that both meet the machine in the same state. */
const TURNS = 6;
const CALLS_A_TURN = 60;
const CLIENTS = 32;
const HAMMER_CALLS = 400;
const WARM_UP_CALLS = 2_000;

const CONTESTANTS = { signed: pemOf(DEMONSTRATION_SIGNING_KEY), unsigned: '' };
type Contestant = keyof typeof CONTESTANTS;

export async function measureSignatures(): Promise<Row[]> {
  const key = await writeKey();
  const query = `?wallet=${await writeWallet(5)}`;
  const p50: Record<Contestant, number[]> = { signed: [], unsigned: [] };
  const cpu: Record<Contestant, number[]> = { signed: [], unsigned: [] };
  await eachRound('signatures', ROUNDS, async (round) => {
    const processes = [await startProcess('signed'), await startProcess('unsigned')];
    for (let turn = round; turn < round + TURNS; turn += 1) {
      for (const each of turn % 2 === 0 ? processes : processes.toReversed()) await each.turn();
    }
    for (const { contestant, figures, stop } of processes) {
      p50[contestant].push(percentile(figures.times, 0.5));
      cpu[contestant].push(figures.cpuMs / (TURNS * HAMMER_CALLS));
      await stop();
    }
  });
  const row = { section: 'signatures', unit: 'ms', peer: 'unsigned' };
  return [
    compare({ ...row, measure: 'wallet, p50', target: 1.1 }, p50.signed, p50.unsigned),
    compare({ ...row, measure: 'CPU per lookup', target: 1.15 }, cpu.signed, cpu.unsigned),
  ];

  async function startProcess(contestant: Contestant) {
    const { url, process, stop } = await serve('service', {
      ANSWER_SIGNING_KEY: CONTESTANTS[contestant],
    });
    const target = { url: `${url}${query}`, key };
    await hammer(target, CLIENTS, WARM_UP_CALLS);
    const figures = { times: [] as number[], cpuMs: 0 };
    const turn = async () => {
      figures.times.push(...(await timeCalls(target, CALLS_A_TURN)));
      const before = cpuMs(process.pid);
      await hammer(target, CLIENTS, HAMMER_CALLS);
      figures.cpuMs += cpuMs(process.pid) - before;
    };
    return { contestant, figures, stop, turn };
  }
}
