// A stopwatch for promises about the service, which a busy machine must not break.

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
