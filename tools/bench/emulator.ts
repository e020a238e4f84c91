// Measures the latency of warm wallet lookups by one client with a real database, Firestore's emulator.

import { timeCalls } from '../sandbox/httpCall.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { CAREFUL_PEERS, serve } from './contestants.ts';
import { attestationDocuments, KEY, keyDocument, walletOf } from './data.ts';
import { eachRound, Samples } from './rounds.ts';
import { compareWith, type Row } from './rows.ts';
import { percentile } from './statistics.ts';

const ROUNDS = 10;
const CALLS_PER_ROUND = 100;
const WARM_UP_CALLS = 400;
const CONTESTANTS = ['service', 'service again', ...CAREFUL_PEERS] as const;

/** @param env only its metadata server is used */
export async function measureWithEmulator({
  GCE_METADATA_HOST,
}: Record<'GCE_METADATA_HOST', string>): Promise<Row[]> {
  const { db } = openEmulators();
  for (const { path, fields } of [keyDocument(), ...attestationDocuments(5)]) {
    await db.doc(path).set({ ...fields });
  }
  const samples = new Samples();
  const processes = await Promise.all(
    CONTESTANTS.map(async (contestant) => {
      const { url, stop } = await serve(contestant, { GCE_METADATA_HOST });
      return { contestant, target: { url: `${url}?wallet=${walletOf(5)}`, key: KEY }, stop };
    }),
  );
  for (const { target } of processes) await timeCalls(target, WARM_UP_CALLS);
  await eachRound('emulator', ROUNDS, processes, async ({ contestant, target }) => {
    const times = await timeCalls(target, CALLS_PER_ROUND);
    for (const fraction of [0.5, 0.99]) {
      samples.add(contestant, `p${fraction * 100}`, percentile(times, fraction));
    }
  });
  for (const { stop } of processes) await stop();

  const row = { section: 'emulator', unit: 'ms' };
  const measure = 'wallet, one client';
  const target = { ratio: 0.6, because: 'most of either time is spent in the emulator' };
  return [
    compareWith(CAREFUL_PEERS, samples, 'p50', { ...row, measure: `${measure}, p50`, target }),
    compareWith(CAREFUL_PEERS, samples, 'p99', { ...row, measure: `${measure}, p99` }),
    compareWith(['service again'], samples, 'p50', { ...row, measure: `${measure}, p50` }),
  ];
}
