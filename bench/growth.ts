// Measures how a lookup's time grows with the wallet. The floor is the same query made in-process with
// the SDK.

import { ATTESTATION_FIELDS } from '../records/attestation.ts';
import { COLLECTIONS } from '../records/collections.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { formatCount } from '../terminal/table.ts';
import { timeCalls } from './client.ts';
import { serve } from './peers.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { figureOf, slope } from './statistics.ts';
import { writeKey, writeWallet } from './subjects.ts';

const ROUNDS = 32;
const SIZES = [0, 10, 100, 1_000, 5_000] as const;
const TARGET_SIZE = 1_000;
/** Fewer calls where each is long, so that each size takes a similar share of a round. */
const callsFor = (size: number): number => (size >= 1_000 ? 2 : 8);

export interface GrowthPoint {
  readonly attestations: number;
  /** Milliseconds, median over the rounds. */
  readonly service: number;
  readonly floor: number;
}

export async function measureGrowth(): Promise<{ rows: Row[]; points: GrowthPoint[] }> {
  const key = await writeKey();
  const served = await serve('service');
  const samples = await Promise.all(
    SIZES.map(async (size) => ({
      size,
      wallet: await writeWallet(size),
      service: [] as number[],
      floor: [] as number[],
    })),
  );
  const warmUp = 6;
  await eachRound('growth', ROUNDS + warmUp, async (round) => {
    for (const { size, wallet, service, floor } of samples) {
      const calls = callsFor(size);
      const lookups = await timeCalls({ url: `${served.url}?wallet=${wallet}`, key }, calls);
      const queries = await timeQueries(wallet, calls);
      if (round <= warmUp) continue;
      service.push(...lookups);
      floor.push(...queries);
    }
  });
  await served.stop();

  const rows = samples.map(({ size, service, floor }) =>
    compare(
      {
        section: 'growth',
        measure: `${formatCount(size)} attestations`,
        unit: 'ms',
        peer: 'floor',
        ...(size === TARGET_SIZE && { target: 1.25 }),
      },
      service,
      floor,
    ),
  );
  const points = samples.map(({ size, service, floor }) => ({
    attestations: size,
    service: figureOf(service).median,
    floor: figureOf(floor).median,
  }));
  return { rows: [...rows, slopeRow(samples)], points };
}

type Samples = { size: number; service: number[]; floor: number[] }[];

/** Microseconds for each further attestation, once for every repetition. */
function slopeRow(samples: Samples): Row {
  const slopes = (of: 'service' | 'floor'): number[] => {
    const repetitions = Math.min(...samples.map((sample) => sample[of].length));
    return Array.from({ length: repetitions }, (_, run) =>
      slope(samples.map((sample) => ({ x: sample.size, y: (sample[of][run] ?? 0) * 1_000 }))),
    );
  };
  return compare(
    { section: 'growth', measure: 'slope per attestation', unit: 'µs', peer: 'floor', target: 1 },
    slopes('service'),
    slopes('floor'),
  );
}

/** @returns milliseconds of each query, read to its last field */
async function timeQueries(wallet: string, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const startedAt = performance.now();
    const { db } = openEmulators();
    const attestations = db.collection(COLLECTIONS.attestations).where('wallet', '==', wallet);
    const found = await attestations.select(...ATTESTATION_FIELDS).get();
    for (const document of found.docs) document.data();
    times.push(performance.now() - startedAt);
  }
  return times;
}
