// Plots a lookup's time over the size of the wallet.

import { execFileSync } from 'node:child_process';
import type { GrowthPoint } from './growth.ts';

/** @returns an SVG document, drawn by vega-lite's own command */
export function plotGrowth(points: readonly GrowthPoint[]): string {
  const values = points.flatMap(({ attestations, service, floor }) => [
    { attestations, ms: service, series: 'lookup over HTTP' },
    { attestations, ms: floor, series: 'the same query in-process' },
  ]);
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: 560,
    height: 320,
    background: 'white',
    title: 'Time of a lookup as the wallet grows',
    data: { values },
    encoding: {
      x: { field: 'attestations', type: 'quantitative', title: 'attestations of the wallet' },
      y: { field: 'ms', type: 'quantitative', title: 'milliseconds (median)' },
      color: {
        field: 'series',
        type: 'nominal',
        title: null,
        scale: { range: ['#1b4f9c', '#c25700'] },
      },
      // Distinguished by shape and dashes too, not by colour alone.
      shape: { field: 'series', type: 'nominal', title: null },
      strokeDash: { field: 'series', type: 'nominal', title: null },
    },
    layer: [{ mark: 'line' }, { mark: { type: 'point', filled: true, size: 60 } }],
    config: { legend: { orient: 'top-left', labelLimit: 300 }, font: 'sans-serif' },
  };
  return execFileSync('vl2svg', { input: JSON.stringify(spec), encoding: 'utf8' });
}
