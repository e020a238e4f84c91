// Measures the cold start: from the start of the process to the first 200 of a wallet lookup.

import { Agent } from 'node:http';
import { call } from './client.ts';
import { type Contestant, start } from './peers.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { writeKey, writeWallet } from './subjects.ts';

const ROUNDS = 16;
const CONTESTANTS = ['empty', 'straightforward', 'service'] as const;

export async function measureColdStart(): Promise<Row[]> {
  const key = await writeKey();
  const query = `?wallet=${await writeWallet(5)}`;
  const times: Record<Contestant, number[]> = { empty: [], straightforward: [], service: [] };
  await eachRound('cold start', ROUNDS, async () => {
    for (const contestant of CONTESTANTS)
      times[contestant].push(await timeFirstResponse(contestant));
  });
  const row = { section: 'cold start', measure: 'start to first 200', unit: 'ms' };
  return [
    compare({ ...row, peer: 'straightforward', target: 0.7 }, times.service, times.straightforward),
    compare({ ...row, peer: 'empty', target: 1.75 }, times.service, times.empty),
  ];

  async function timeFirstResponse(contestant: Contestant): Promise<number> {
    const startedAt = performance.now();
    const served = await start(contestant);
    await served.listening;
    const agent = new Agent();
    await call({ url: `${served.url}${query}`, key }, agent);
    const time = performance.now() - startedAt;
    await served.stop();
    return time;
  }
}
