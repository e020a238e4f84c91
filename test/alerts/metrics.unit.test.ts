// Runs the conditions of the alerts over metrics, and the dashboard's scorecards, with promtool.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Condition, readAlerts } from '../../deploy/alerts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Without numbers, because YAML would read `0x60` as one. */
const CASES: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = parse(
  readFileSync('test/alerts/cases.yaml', 'utf8'),
  { schema: 'failsafe' },
);
const REVISION = 'monitored_resource="cloud_run_revision"';
const JOB = 'monitored_resource="cloud_run_job",job_name="poh-audit"';
/** The series of the cases, without the end of their labels. */
const SERIES: Readonly<Record<string, string>> = {
  failed: `run_googleapis_com:request_count{${REVISION},service_name="pohattestationsendpoint",response_code_class="5xx"`,
  lookups: `logging_googleapis_com:user_poh_lookups{${REVISION}`,
  durations: `logging_googleapis_com:user_poh_durations_bucket{${REVISION}`,
  turnedAway: `logging_googleapis_com:user_poh_turned_away{${REVISION}`,
  seconds: `run_googleapis_com:container_billable_instance_time{${REVISION}`,
  reads: 'firestore_googleapis_com:document_read_count{monitored_resource="firestore_instance"',
  runs: `run_googleapis_com:job_completed_execution_count{${JOB},result="succeeded"`,
  failedRuns: `run_googleapis_com:job_completed_execution_count{${JOB},result="failed"`,
  checks:
    'monitoring_googleapis_com:uptime_check_check_passed{monitored_resource="uptime_url",host="SITE"',
};

const ALIGNED = { ALIGN_NEXT_OLDER: 'last_over_time', ALIGN_DELTA: 'increase' };
const REDUCED = { REDUCE_COUNT_FALSE: ['count', '== 0'], REDUCE_SUM: ['sum', ''] };
const COMPARED = { COMPARISON_GT: '>' };

/** @returns the condition as a rule of Prometheus; undefined for one over the log */
function ruleOf({ conditionPrometheusQueryLanguage: promql, conditionThreshold }: Condition) {
  if (promql) return { expr: promql.query, for: promql.duration ?? '0s' };
  if (!conditionThreshold) return undefined;
  const { filter, aggregations, comparison, thresholdValue, duration } = conditionThreshold;
  const [{ alignmentPeriod, perSeriesAligner, crossSeriesReducer, groupByFields = [] }] =
    aggregations;
  const [, host = '', path = ''] = /metric.type="(.*?)\/(.*?)"/.exec(filter) ?? [];
  const metric = [host, path].map((part) => part.replaceAll(/\W/g, '_')).join(':');
  const labels = [...filter.matchAll(/resource\.(?:labels\.)?(\w+)=(".*?")/g)].map(
    ([, name = '', value]) => `${name.replace(/^type$/, 'monitored_resource')}=${value}`,
  );
  const aligned = `${ALIGNED[perSeriesAligner]}(${metric}{${labels}}[${alignmentPeriod}])`;
  const [reducer, selected] = REDUCED[crossSeriesReducer];
  const groups = groupByFields.map((field) => field.replace('metric.labels.', ''));
  const reduced = `${reducer} by (${groups}) (${aligned} ${selected})`;
  return { expr: `${reduced} ${COMPARED[comparison]} ${thresholdValue}`, for: duration };
}

const folder = temporaryFolder();
const write = (name: string, content: object): string => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};

const RULES = new Map(
  [...readAlerts({ project: 'acme-poh', region: 'europe-west1', site: 'SITE' })]
    .map(
      ([name, { conditions }]) =>
        [name, conditions.map(ruleOf).filter((rule) => rule !== undefined)] as const,
    )
    .filter(([, rules]) => rules.length > 0),
);

test('every alert over metrics has cases that fire it, and cases that do not', () => {
  const outcomes = Object.entries(CASES).map(([alert, cases]) => [
    alert,
    new Set(cases.map(({ fires }) => fires)).size,
  ]);
  expect(outcomes.sort()).toEqual([...RULES.keys()].map((alert) => [alert, 2]).sort());
});

const promtool = spawnSync('promtool', ['--version']).status === 0;

const seriesOf = (series: Readonly<Record<string, string>>) =>
  Object.entries(series).map(([key, values]) => {
    const [, name = '', labels] = /^(\w+) ?(.*)$/.exec(key) ?? [];
    // promtool would read `0x30` as a number.
    const notation = values.replaceAll(/(?<!\S)(\d+)x/g, '$1+0x');
    return { series: `${SERIES[name]},${labels}}`, values: notation };
  });

function expectSuccess(files: readonly string[]): void {
  const words = ['test', 'rules', ...files];
  const { stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
  expect(stdout.match(/SUCCESS/g), stdout + stderr).toHaveLength(files.length);
}

test.skipIf(!promtool).for(Object.entries(CASES))('%s fires when it must', ([alert, cases]) => {
  const rules = (RULES.get(alert) ?? []).map((rule) => ({ alert, ...rule }));
  const rule_files = [write(`${alert}.rules.json`, { groups: [{ name: alert, rules }] })];
  const files = cases.map(({ title = '', fires, at, ...series }) => {
    const interval = Number(at) > 1_000 ? '10m' : '1m';
    const input_series = seriesOf(series);
    const expected = {
      expr: 'count(ALERTS{alertstate="firing"}) > bool 0',
      eval_time: `${at}m`,
      exp_samples: fires === 'true' ? [{ labels: '{}', value: 1 }] : [],
    };
    const tests = [{ interval, input_series, promql_expr_test: [expected] }];
    return write(`${alert}, ${title}`, { rule_files, evaluation_interval: interval, tests });
  });
  expectSuccess(files);
});

/** 31 days, of which each sample is an hour, and what the scorecards of the dashboard show at their end. */
const SHOWN: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
  [99.9, { failed: '0x100 72x643', 'lookups code="ok"': '0+100x744' }],
  [7.2 + 6.36 + 9.6, { reads: '0+1000000x744', seconds: '0+10000x744', failed: '0+1000000x744' }],
];

test.skipIf(!promtool)('the dashboard shows the lookups of a month, and what a day cost', () => {
  const { widgets } = parse(readFileSync('deploy/dashboard.yaml', 'utf8')).gridLayout;
  const files = SHOWN.map(([value, series], index) => {
    const { prometheusQuery } = widgets[index].scorecard.timeSeriesQuery;
    const shown = {
      expr: `abs((${prometheusQuery}) - ${value}) < bool 0.005`,
      eval_time: '744h',
      exp_samples: [{ labels: '{}', value: 1 }],
    };
    const input_series = seriesOf(series);
    const tests = [{ interval: '1h', input_series, promql_expr_test: [shown] }];
    return write(`scorecard ${index}`, { evaluation_interval: '1h', tests });
  });
  expectSuccess(files);
});
