// A stopwatch for promises about the service, which a busy machine must not break.

import { REQUEST_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import type { ServedFunction } from '../../tools/sandbox/servedFunction.ts';
import { waitedMs } from './measuring.ts';

/**
 * Starts a stopwatch that stands still while this process or the function waits for a CPU.
 *
 * @param served omit it if the code under test runs in this process
 * @returns a function that returns the milliseconds so far
 */
export function startWatch(served?: ServedFunction): () => number {
  const ran = (): number =>
    performance.now() - waitedMs(process.pid) - (served ? waitedMs(served.process.pid) : 0);
  const startedAt = ran();
  return () => ran() - startedAt;
}

/**
 * Makes a lookup, and times it.
 *
 * @returns its response; its milliseconds by the clock, and on the stopwatch; and whether the function's time limit
 *   ended it only because the machine was busy
 */
export async function timed<T>(served: ServedFunction, lookUp: () => Promise<T>) {
  const [watch, startedAt] = [startWatch(served), performance.now()];
  const response = await lookUp();
  const [ms, ranMs] = [performance.now() - startedAt, watch()];
  const isStarved = ms > REQUEST_LIMIT_MS && ranMs < REQUEST_LIMIT_MS * 0.9;
  return { response, ms, ranMs, isStarved };
}
