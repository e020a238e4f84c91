// The rows of the benchmark's table, one for each comparison, and their format.

import { formatTable } from '../../admin/terminal/table.ts';
import type { Samples } from './rounds.ts';
import { type Figure, figureOf, median } from './statistics.ts';

export interface RowFields {
  readonly section: string;
  readonly measure: string;
  readonly unit: string;
  /** The highest acceptable ratio and its reason; rows without a target are for information. */
  readonly target?: { readonly ratio: number; readonly because: string } | undefined;
}

export interface Row extends RowFields {
  readonly service: Figure;
  readonly peer: string;
  readonly peerFigure: Figure;
  /** The service's median over the peer's. */
  readonly ratio: number;
}

/**
 * @param service samples of the service, in the row's unit
 * @param peerSamples samples of the peer, in the same unit
 */
export function rowOf(
  fields: RowFields,
  service: readonly number[],
  peer: string,
  peerSamples: readonly number[],
): Row {
  const [figure, peerFigure] = [figureOf(service), figureOf(peerSamples)];
  const ratio = figure.median / peerFigure.median;
  return { ...fields, service: figure, peer, peerFigure, ratio };
}

/**
 * Compares the service with the best of several peers.
 *
 * @param figure the name of the compared figure
 * @param contestant compared instead of the service
 */
export function compareWith(
  peers: readonly string[],
  samples: Samples,
  figure: string,
  fields: RowFields,
  contestant = 'service',
): Row {
  const [best = ''] = peers.toSorted(
    (a, b) => median(samples.of(a, figure)) - median(samples.of(b, figure)),
  );
  return rowOf(fields, samples.of(contestant, figure), best, samples.of(best, figure));
}

export const meetsTarget = ({ ratio, target }: Row): boolean => !target || ratio <= target.ratio;

const HEADING = ['', 'measure', 'service', 'peer', 'ratio', 'target', '', 'because'];

/** @returns the rows as a table for a terminal */
export const formatRows = (rows: readonly Row[]): string =>
  formatTable(HEADING, rows.map(rowCells));

function rowCells(row: Row): string[] {
  const { section, measure, unit, service, peer, peerFigure, ratio, target } = row;
  return [
    section,
    measure,
    formatFigure(service, unit),
    `${peer} ${formatFigure(peerFigure, unit)}`,
    ratio.toFixed(2),
    target ? `≤ ${target.ratio.toFixed(2)}` : '',
    target ? (meetsTarget(row) ? '✔' : '✘') : '',
    target?.because ?? '',
  ];
}

/** Formats a median with its quartiles, e.g. `3.42 ms (3.31–3.60)`. */
function formatFigure({ median, low, high, runs }: Figure, unit: string): string {
  const spread = runs > 1 ? ` (${digits(low)}–${digits(high)})` : '';
  return `${digits(median)} ${unit}`.trimEnd() + spread;
}

const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
