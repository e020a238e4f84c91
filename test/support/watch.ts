// A stopwatch for promises about the service, which a busy machine must not break.

import { REQUEST_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import { waitedMs } from '../../tools/sandbox/measuring.ts';
import type { ServedFunction } from '../../tools/sandbox/servedFunction.ts';

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
 * Whether the function's time limit ended a lookup only because the machine was busy.
 *
 * @param ms the milliseconds of the lookup
 * @param ranMs the same on the stopwatch
 */
export const isStarved = ({
  ms,
  ranMs,
}: {
  readonly ms: number;
  readonly ranMs: number;
}): boolean => ms > REQUEST_LIMIT_MS && ranMs < REQUEST_LIMIT_MS * 0.9;
