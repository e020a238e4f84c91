// Measures an instance's peak memory at its configured concurrency.

import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { formatCount } from '../../admin/terminal/table.ts';
import { statusOf, type Target } from '../sandbox/httpCall.ts';
import { peakMemoryMiB } from '../sandbox/processFigures.ts';
import { SERVICE, serve } from './contestants.ts';
import { KEY, walletOf } from './data.ts';
import { eachRound, Samples } from './rounds.ts';
import { type Row, type RowFields, rowOf } from './rows.ts';

const ROUNDS = 3;
const LOADS = [
  {
    attestations: 1_000,
    waves: 4,
    limit: { value: 300, because: 'wallets ten times as large must fit too' },
  },
  { attestations: 10_000, waves: 1, limit: undefined },
] as const;

/** @param env names the prepared database */
export async function measureMemory(env: Record<string, string>): Promise<Row[]> {
  const { memoryMiB, concurrency } = configuration();
  const samples = new Samples();
  await eachRound('memory', ROUNDS, LOADS, async ({ attestations, waves }) => {
    const { url, process, stop } = await serve('service', env);
    const target = { url: `${url}?wallet=${walletOf(attestations)}`, key: KEY };
    for (let wave = 0; wave < waves; wave += 1) {
      const { seconds, failed } = await callConcurrently(target, concurrency);
      samples.add(`${attestations}`, 's', seconds);
      samples.add(`${attestations}`, 'failed', failed);
    }
    samples.add(`${attestations}`, 'MiB', peakMemoryMiB(process.pid));
    await stop();
  });
  return LOADS.flatMap(({ attestations, limit }) => {
    const measure = `${concurrency} concurrent lookups of ${formatCount(attestations)}`;
    const samplesOf = (figure: string) => samples.of(`${attestations}`, figure);
    const row = { section: 'memory', measure: `${measure}, peak`, unit: 'MiB' };
    const target: RowFields['target'] = limit && {
      ratio: limit.value / memoryMiB,
      because: limit.because,
    };
    return [
      rowOf({ ...row, target }, samplesOf('MiB'), 'configured', [memoryMiB]),
      rowOf(
        { ...row, measure: `${measure}, last response`, unit: 's' },
        samplesOf('s'),
        'promised',
        [10],
      ),
      rowOf({ ...row, measure: `${measure}, not 200`, unit: '' }, samplesOf('failed'), 'sent', [
        concurrency,
      ]),
    ];
  });
}

/** Some large lookups may time out, because the function, the database and the clients share the machine. */
async function callConcurrently(target: Target, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const startedAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: clients }, () => statusOf(target, agent)),
  );
  agent.destroy();
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    failed: statuses.filter((status) => status !== 200).length,
  };
}

/** The platform configuration that the built function declares. */
function configuration(): { memoryMiB: number; concurrency: number } {
  const load = createRequire(import.meta.url);
  const { __endpoint } = load(`../${SERVICE}`).pohAttestationsEndpoint;
  return { memoryMiB: __endpoint.availableMemoryMb, concurrency: __endpoint.concurrency };
}
