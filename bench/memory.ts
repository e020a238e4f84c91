// Measures an instance's peak memory at its configured concurrency.

import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { formatCount } from '../terminal/table.ts';
import { statusOf, type Target } from './httpCall.ts';
import { serve } from './peers.ts';
import { peakMemoryMiB } from './processFigures.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { writeKey, writeWallet } from './subjects.ts';

const ROUNDS = 3;
const ATTESTATIONS = 1_000;
const WAVES = 4;

export async function measureMemory(): Promise<Row[]> {
  const { memoryMiB, concurrency } = configuration();
  const target = { key: await writeKey(), query: `?wallet=${await writeWallet(ATTESTATIONS)}` };
  const peaks: number[] = [];
  await eachRound('memory', ROUNDS, async () => {
    const served = await serve('service');
    const { key, query } = target;
    for (let wave = 0; wave < WAVES; wave += 1) {
      await callAtOnce({ url: `${served.url}${query}`, key }, concurrency);
    }
    peaks.push(peakMemoryMiB(served.process.pid));
    await served.stop();
  });
  const fields = {
    section: 'memory',
    measure: `peak, ${concurrency} lookups of ${formatCount(ATTESTATIONS)} at once`,
    unit: 'MiB',
    peer: 'configured',
    target: 0.8,
  };
  return [compare(fields, peaks, [memoryMiB])];
}

/** Statuses are not checked: emulator and function share the machine, so some requests may time out. */
async function callAtOnce(target: Target, clients: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  await Promise.all(Array.from({ length: clients }, () => statusOf(target, agent)));
  agent.destroy();
}

/** The platform configuration that the built function declares. */
function configuration(): { memoryMiB: number; concurrency: number } {
  const require = createRequire(import.meta.url);
  const { main } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { __endpoint } = require(`../${main}`).pohAttestationsEndpoint;
  return { memoryMiB: __endpoint.availableMemoryMb, concurrency: __endpoint.concurrency };
}
