// Computes medians and percentiles. Does no I/O.

/** A figure over several runs, in the unit of its samples. */
export interface Figure {
  readonly median: number;
  /** The quartiles. Half of the runs are between them. */
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** @param fraction 0 to 1; interpolates between the neighbouring samples */
export function percentile(samples: readonly number[], fraction: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

export const figureOf = (samples: readonly number[]): Figure => ({
  median: median(samples),
  low: percentile(samples, 0.25),
  high: percentile(samples, 0.75),
  runs: samples.length,
});
