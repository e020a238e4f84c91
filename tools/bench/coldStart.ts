// Measures the cold start, from the start of the process to the first 200 of a wallet lookup.

import { Agent } from 'node:http';
import { call } from '../sandbox/httpCall.ts';
import { cpuMs } from '../sandbox/processFigures.ts';
import { CAREFUL_PEERS, start } from './contestants.ts';
import { KEY, walletOf } from './data.ts';
import { eachRound, Samples } from './rounds.ts';
import { compareWith, type Row } from './rows.ts';

const ROUNDS = 24;
/** The first start reads files that are not in the page cache. */
const WARM_UP_ROUNDS = 1;
const CONTESTANTS = [
  'service',
  'service again',
  'empty',
  'straightforward',
  ...CAREFUL_PEERS,
] as const;

/** @param env names the prepared database */
export async function measureColdStart(env: Record<string, string>): Promise<Row[]> {
  let samples = new Samples();
  const agent = new Agent();
  const measure = async (contestant: (typeof CONTESTANTS)[number]) => {
    const startedAt = performance.now();
    const served = await start(contestant, env);
    await served.listening;
    await call({ url: `${served.url}?wallet=${walletOf(5)}`, key: KEY }, agent);
    samples.add(contestant, 'time', performance.now() - startedAt);
    samples.add(contestant, 'CPU', cpuMs(served.process.pid));
    await served.stop();
  };
  await eachRound('cold start (warm-up)', WARM_UP_ROUNDS, CONTESTANTS, measure);
  samples = new Samples();
  await eachRound('cold start', ROUNDS, CONTESTANTS, measure);

  return (['CPU', 'time'] as const).flatMap((figure) => {
    const row = { section: 'cold start', measure: `${figure} to the first 200`, unit: 'ms' };
    return [
      compareWith(['empty'], samples, figure, {
        ...row,
        target: {
          ratio: 1.15,
          because: 'the service should add little to Node and functions-framework',
        },
      }),
      compareWith(CAREFUL_PEERS, samples, figure, {
        ...row,
        target: { ratio: 0.33, because: 'a custom client must cut the wait to a third' },
      }),
      compareWith(['straightforward'], samples, figure, row),
      compareWith(['service again'], samples, figure, row),
    ];
  });
}
