// The benchmark's progress: on standard error, so that standard output has the table alone.

import { startProgress } from '../terminal/progress.ts';

/** @param run called for each round, from 1 */
export async function eachRound(
  title: string,
  rounds: number,
  run: (round: number) => Promise<void>,
): Promise<void> {
  const progress = startProgress(rounds, `rounds of ${title}`);
  for (let round = 1; round <= rounds; round += 1) {
    await run(round);
    progress.report(round);
  }
  progress.end();
}
