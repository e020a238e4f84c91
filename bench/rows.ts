// The rows that the benchmark reports, one for each comparison, and how they are printed.

import { formatTable } from '../terminal/table.ts';
import { type Figure, figureOf } from './statistics.ts';

export interface Row {
  readonly section: string;
  readonly measure: string;
  readonly unit: string;
  readonly service: Figure;
  readonly peer: string;
  readonly peerFigure: Figure;
  /** The service's median over the peer's. */
  readonly ratio: number;
  /** The highest ratio that meets the target; none where the figure only informs. */
  readonly target?: number;
}

type RowFields = Omit<Row, 'service' | 'peerFigure' | 'ratio'>;

/** @param service samples of the service and of the peer, run by run, in the row's unit */
export function compare(
  fields: RowFields,
  service: readonly number[],
  peer: readonly number[],
): Row {
  const serviceFigure = figureOf(service);
  const peerFigure = figureOf(peer);
  return {
    ...fields,
    service: serviceFigure,
    peerFigure,
    ratio: serviceFigure.median / peerFigure.median,
  };
}

export const isReached = ({ ratio, target }: Row): boolean =>
  target === undefined || ratio <= target;

const HEADING = ['', 'measure', 'service', 'peer', 'ratio', 'target', ''];

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
    target === undefined ? '' : `≤ ${target.toFixed(2)}`,
    target === undefined ? '' : isReached(row) ? '✔' : '✘',
  ];
}

/** A median with its quartiles, e.g. `3.42 ms (3.31–3.60)`. */
export function formatFigure({ median, low, high }: Figure, unit: string): string {
  return `${digits(median)} ${unit} (${digits(low)}–${digits(high)})`;
}

const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
