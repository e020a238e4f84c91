// The benchmark's samples, and the table that compares them.

/** The samples of each contestant, in the order of the rounds. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(contestant: string, value: number): void {
    this.#values.set(contestant, [...this.of(contestant), value]);
  }

  of(contestant: string): readonly number[] {
    return this.#values.get(contestant) ?? [];
  }
}

export interface Row {
  readonly measure: string;
  readonly unit: string;
  /** The highest acceptable ratio, and what to do above it. */
  readonly target: { readonly ratio: number; readonly aboveIt: string };
  readonly service: readonly number[];
  readonly peer: string;
  readonly peerSamples: readonly number[];
  /** The service's median over the peer's. */
  readonly ratio: number;
}

/** @param fraction 0 to 1; interpolates between the neighbouring samples */
function percentile(samples: readonly number[], fraction: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** @returns the contestant with the lowest median */
export function bestOf(samples: Samples, contestants: readonly string[]): string {
  const [best = ''] = contestants.toSorted((a, b) => median(samples.of(a)) - median(samples.of(b)));
  return best;
}

/** Compares the service with a peer. */
export function compare(
  samples: Samples,
  peer: string,
  fields: Pick<Row, 'measure' | 'unit' | 'target'>,
): Row {
  const [service, peerSamples] = [samples.of('service'), samples.of(peer)];
  return { ...fields, service, peer, peerSamples, ratio: median(service) / median(peerSamples) };
}

export const meetsTarget = ({ ratio, target }: Row): boolean => ratio <= target.ratio;

/** @returns the rows as a Markdown table */
export const formatRows = (rows: readonly Row[]): string =>
  [
    '| measure | this service | compared with | ratio | at most | above it |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ measure, unit, service, peer, peerSamples, ratio, target }) => {
      const samples = `${formatSamples(service, unit)} | ${peer} ${formatSamples(peerSamples, unit)}`;
      const ratios = `${ratio.toFixed(2)} | ${target.ratio.toFixed(2)}`;
      return `| ${measure} | ${samples} | ${ratios} | ${target.aboveIt} |`;
    }),
  ].join('\n');

/** Formats a median with its quartiles, e.g. `3.42 ms (3.31–3.60)`. */
function formatSamples(samples: readonly number[], unit: string): string {
  const [low, high] = [percentile(samples, 0.25), percentile(samples, 0.75)].map(digits);
  return `${digits(median(samples))} ${unit}${samples.length > 1 ? ` (${low}–${high})` : ''}`;
}

const digits = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
