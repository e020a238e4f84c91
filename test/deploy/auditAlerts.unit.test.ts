// Replays the alerts on the audit against the summaries of daily audits, as Cloud Monitoring evaluates them: an
// incident opens when a group of series has audits in the last period, and closes when it has none.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const read = (file: string): unknown =>
  parse(readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8'));

const { labelExtractors } = z
  .object({ labelExtractors: z.record(z.string(), z.string()) })
  .parse(read('logging/metrics/poh-audits.yaml'));
const EXTRACTED = /^EXTRACT\(jsonPayload\.(\w+)\)$/;
const policy = z.object({
  conditions: z.tuple([
    z.object({
      conditionThreshold: z.object({
        filter: z.string(),
        aggregations: z.tuple([
          z.object({
            alignmentPeriod: z.string().transform(Number.parseFloat),
            groupByFields: z.array(z.string()).default([]),
          }),
        ]),
        comparison: z.literal('COMPARISON_GT'),
        thresholdValue: z.literal(0),
      }),
    }),
  ]),
});

type Summary = Record<string, unknown> & { readonly hour: number };

/** @returns the hours at which an incident opens */
function incidents(alert: string, summaries: readonly Summary[], hours: number): number[] {
  const [{ conditionThreshold }] = policy.parse(read(`alerts/${alert}.yaml`)).conditions;
  const { filter, aggregations } = conditionThreshold;
  const [{ alignmentPeriod, groupByFields }] = aggregations;
  const [, label = '', operator, value] = /metric\.labels\.(\w+)(!?=)"(\w+)"/.exec(filter) ?? [];
  const points = summaries
    .map((summary) => {
      const labels = Object.entries(labelExtractors).map(([name, extractor]) => {
        const field = EXTRACTED.exec(extractor)?.[1] ?? '';
        return [name, String(summary[field])] as const;
      });
      return { hour: summary.hour, labels: new Map(labels) };
    })
    .filter(({ labels }) => (labels.get(label) === value) === (operator === '='));
  const groupOf = (labels: ReadonlyMap<string, string>) =>
    groupByFields.map((field) => labels.get(field.replace('metric.labels.', ''))).join();
  const openAt = (hour: number) =>
    new Set(
      points
        .filter((point) => point.hour <= hour && point.hour > hour - alignmentPeriod / 3600)
        .map(({ labels }) => groupOf(labels)),
    );
  return Array.from({ length: hours }, (_, hour) => hour).filter((hour) =>
    [...openAt(hour)].some((group) => !openAt(hour - 1).has(group)),
  );
}

/** Audits at 4:15 on each day, a little later on odd days. */
const daily = (summaries: readonly { found: number; stale?: boolean }[]): Summary[] =>
  summaries.map(({ found, stale = false }, day) => ({
    hour: day * 24 + 4 + (day % 2) * 0.9,
    found,
    stale,
  }));

test.each([
  ['no findings', [0, 0, 0], []],
  ['the same findings every day', [3, 3, 3, 3], [0]],
  ['another finding on the third day', [3, 3, 4, 4], [0, 2]],
  ['findings that come back after they were resolved', [3, 0, 0, 3], [0, 3]],
])('findings: %s', (_, counts, days) => {
  const summaries = daily(counts.map((found) => ({ found })));
  const opened = incidents('audit-findings', summaries, counts.length * 24);
  expect(opened.map((hour) => Math.floor(hour / 24))).toEqual(days);
  expect(incidents('stale-mirror', summaries, counts.length * 24)).toEqual([]);
});

test('a mirror that has stopped notifies once, whatever the number of findings', () => {
  const found = [0, 0, 40, 80, 120];
  const summaries = daily(found.map((count, day) => ({ found: count, stale: day > 2 })));
  const opened = incidents('stale-mirror', summaries, found.length * 24);
  expect(opened.map((hour) => Math.floor(hour / 24))).toEqual([3]);
  expect(incidents('audit-findings', summaries, found.length * 24)).toHaveLength(3);
});
