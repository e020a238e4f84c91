// Replays the alerts on 5xx against planted series, as Cloud Monitoring evaluates them: every minute, a condition
// sums the requests of its last period, and holds once it has been true for its duration.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

/** A series of the metric run.googleapis.com/request_count. */
interface Series {
  readonly code: number;
  /** The number of requests in a minute. */
  readonly rate: (minute: number) => number;
}

const aggregations = z.tuple([
  z.object({
    alignmentPeriod: z.string().transform(Number.parseFloat),
    perSeriesAligner: z.literal('ALIGN_DELTA'),
    crossSeriesReducer: z.literal('REDUCE_SUM'),
  }),
]);
const policySchema = z.object({
  combiner: z.literal('AND'),
  conditions: z.array(
    z.object({
      conditionThreshold: z.strictObject({
        filter: z.string(),
        aggregations,
        denominatorFilter: z.string().optional(),
        denominatorAggregations: aggregations.optional(),
        comparison: z.literal('COMPARISON_GT'),
        thresholdValue: z.number(),
        duration: z.string().transform(Number.parseFloat),
        evaluationMissingData: z.literal('EVALUATION_MISSING_DATA_INACTIVE'),
      }),
    }),
  ),
});
type Threshold = z.infer<typeof policySchema>['conditions'][number]['conditionThreshold'];

const LABELS = /metric\.labels\.(\w+)(!?=)"(\w+)"/g;

/** The requests up to each minute that a filter selects. */
function selected(filter: string, series: readonly Series[], minutes: number): number[] {
  expect(filter).toContain('metric.type="run.googleapis.com/request_count"');
  const found = series.filter(({ code }) => {
    const labels = { response_code: `${code}`, response_code_class: `${Math.floor(code / 100)}xx` };
    return [...filter.matchAll(LABELS)].every(
      ([, label, operator, value]) =>
        (labels[label as keyof typeof labels] === value) === (operator === '='),
    );
  });
  let total = 0;
  return Array.from({ length: minutes + 1 }, (_, minute) => {
    if (minute > 0) for (const { rate } of found) total += rate(minute - 1);
    return total;
  });
}

/** Whether the condition holds at each minute. A series without requests has no data, which counts as false. */
function holds(threshold: Threshold, series: readonly Series[], minutes: number): boolean[] {
  const {
    filter,
    aggregations: [{ alignmentPeriod }],
    denominatorFilter,
    thresholdValue,
  } = threshold;
  const counts = selected(filter, series, minutes);
  const all = denominatorFilter && selected(denominatorFilter, series, minutes);
  const within = (sums: readonly number[], minute: number) =>
    (sums[minute] ?? 0) - (sums[Math.max(0, minute - alignmentPeriod / 60)] ?? 0);
  const isTrue = counts.map((_, minute) => {
    const count = within(counts, minute);
    return count > 0 && count / (all ? within(all, minute) : 1) > thresholdValue;
  });
  const needed = threshold.duration / 60;
  return isTrue.map(
    (_, minute) => minute >= needed && isTrue.slice(minute - needed, minute + 1).every(Boolean),
  );
}

/** The minutes from the first to the last at which the alert is active. */
function replay(
  name: string,
  series: readonly Series[],
  minutes: number,
): [number, number] | undefined {
  const file = new URL(`../../deploy/alerts/${name}.yaml`, import.meta.url);
  const { conditions } = policySchema.parse(parse(readFileSync(file, 'utf8')));
  const each = conditions.map(({ conditionThreshold }) =>
    holds(conditionThreshold, series, minutes),
  );
  const active = each[0]?.map((_, minute) => each.every((one) => one[minute])) ?? [];
  return active.includes(true) ? [active.indexOf(true), active.lastIndexOf(true)] : undefined;
}

const HOUR = 60;
const DAY = 24 * HOUR;
/** Faults begin after a healthy day. */
const FAULT = DAY;
/** The uptime check makes a lookup every 5 minutes from each of 6 regions. */
const uptime: Series = { code: 200, rate: (minute) => (minute % 5 === 0 ? 6 : 0) };
const healthy = (perSecond: number): Series => ({ code: 200, rate: () => perSecond * 60 });
/** Fails this many requests a minute for a number of minutes. */
const failing = (perMinute: number, minutes = Number.POSITIVE_INFINITY): Series => ({
  code: 500,
  rate: (minute) => (minute >= FAULT && minute < FAULT + minutes ? perMinute : 0),
});
const until = ({ code, rate }: Series): Series => ({
  code,
  rate: (minute) => (minute < FAULT ? rate(minute) : 0),
});
const everyTenMinutes: Series = {
  code: 500,
  rate: (minute) => Number(minute >= FAULT && minute % 10 === 0),
};

/** How many minutes after the beginning of the fault each alert may start at the latest; undefined if it stays silent. */
interface Expected {
  readonly fast?: number;
  readonly slow?: number;
  readonly absolute?: number;
}
const NAMES = { fast: 'fast-burn', slow: 'slow-burn', absolute: 'server-errors' } as const;

const CASES: [string, readonly Series[], Expected][] = [
  ['no failures', [healthy(100), uptime], {}],
  [
    'every lookup fails, at 100 a second',
    [until(healthy(100)), failing(6_000)],
    { fast: 3, absolute: 5, slow: 10 },
  ],
  [
    'every lookup fails, at one a minute',
    [until({ code: 200, rate: () => 1 }), failing(1)],
    { fast: 15, absolute: 5, slow: 15 },
  ],
  [
    'every lookup by e-mail fails, one every 10 minutes',
    [uptime, everyTenMinutes],
    { absolute: 35, slow: 2 * HOUR },
  ],
  [
    'one lookup of a few fails in a quiet night',
    [{ code: 200, rate: (minute) => Number(minute % 10 === 5) }, failing(1, 1)],
    {},
  ],
  ['2 % fail at 100 a second', [healthy(98), failing(120)], { fast: HOUR, slow: 4 * HOUR }],
  ['0.5 % fail at 100 a second', [healthy(99.5), failing(30)], { slow: 15 * HOUR }],
  ['0.05 % fail at 100 a second, within the objective', [healthy(99.95), failing(3)], {}],
  ['30 seconds without Firestore at 100 a second', [healthy(100), failing(3_000, 1)], {}],
  [
    '20 % fail at 10 a second, during a flood of 1,000 invalid keys a second',
    [healthy(8), failing(120), { code: 401, rate: () => 60_000 }],
    { fast: 10, absolute: 15, slow: HOUR },
  ],
];

describe.each(CASES)('%s', (_title, series, expected) => {
  test.each(Object.entries(NAMES))('the %s alert, %s', (kind, name) => {
    const latest = expected[kind as keyof Expected];
    const found = replay(name, series, FAULT + 2 * DAY);
    if (latest === undefined) expect(found).toBeUndefined();
    else {
      expect(found?.[0]).toBeGreaterThan(FAULT);
      expect(found?.[0]).toBeLessThanOrEqual(FAULT + latest);
    }
  });
});

test('the fast alert ends 6 minutes after the failures', () => {
  const [, last = 0] = replay('fast-burn', [healthy(50), failing(3_000, 10)], FAULT + DAY) ?? [];
  expect(last).toBeLessThanOrEqual(FAULT + 10 + 6);
});
