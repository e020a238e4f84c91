// Measures the most memory an instance holds when it is as busy as it is configured to be.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hammer, peakMemoryMiB } from './client.ts';
import { serve } from './peers.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { writeKey, writeWallet } from './subjects.ts';

const ROUNDS = 3;
const ATTESTATIONS = 1_000;
const WAVES = 5;

export async function measureMemory(): Promise<Row[]> {
  const { memoryMiB, concurrency } = configuration();
  const target = { key: await writeKey(), query: `?wallet=${await writeWallet(ATTESTATIONS)}` };
  const peaks: number[] = [];
  await eachRound('memory', ROUNDS, async () => {
    const served = await serve('service');
    const url = `${served.url}${target.query}`;
    await hammer({ url, key: target.key }, concurrency, concurrency * WAVES);
    peaks.push(peakMemoryMiB(served.process.pid));
    await served.stop();
  });
  const fields = {
    section: 'memory',
    measure: `peak, ${concurrency} lookups of ${ATTESTATIONS.toLocaleString('en')} at once`,
    unit: 'MiB',
    peer: 'configured',
    target: 0.8,
  };
  return [compare(fields, peaks, [memoryMiB])];
}

/** What the built function tells the platform about itself. */
function configuration(): { memoryMiB: number; concurrency: number } {
  const require = createRequire(import.meta.url);
  const { main } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { __endpoint } = require(`../${main}`).pohAttestationsEndpoint;
  return { memoryMiB: __endpoint.availableMemoryMb, concurrency: __endpoint.concurrency };
}
