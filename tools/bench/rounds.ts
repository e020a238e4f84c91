// Measures contestants in rounds of random order, so that none always runs on a warmer machine.

import { startProgress } from '../../admin/terminal/progress.ts';

/** The figures of each contestant, in the order of the rounds. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(contestant: string, figure: string, value: number): void {
    const key = `${contestant}: ${figure}`;
    this.#values.set(key, [...this.of(contestant, figure), value]);
  }

  of(contestant: string, figure: string): readonly number[] {
    return this.#values.get(`${contestant}: ${figure}`) ?? [];
  }
}

/**
 * Runs the rounds. Reports progress on standard error, because standard output is for the table.
 *
 * @param measure measures one contestant once
 */
export async function eachRound<Name>(
  title: string,
  rounds: number,
  contestants: readonly Name[],
  measure: (contestant: Name) => Promise<void>,
): Promise<void> {
  const progress = startProgress(rounds, `rounds of ${title}`);
  for (let round = 1; round <= rounds; round += 1) {
    for (const contestant of shuffled(contestants)) await measure(contestant);
    progress.report(round);
  }
  progress.end();
}

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
