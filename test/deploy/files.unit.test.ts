// Compares the files of deploy/ with Google's rules, the function's log and the documents for operators.

import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { GoogleError } from '../../functions/src/google/exchange.ts';
import { object } from '../../tools/doubles/deployment/resources.ts';
import { Store } from '../../tools/doubles/deployment/store.ts';
import { failedLine } from './documents.ts';

const DEPLOY = new URL('../../deploy/', import.meta.url);
const read = (file: string): unknown => parse(readFileSync(new URL(file, DEPLOY), 'utf8'));
const filesOf = (directory: string) =>
  readdirSync(new URL(directory, DEPLOY))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${directory}${name}`);

const METRIC_FILE = z.object({ labelExtractors: z.record(z.string(), z.string()).default({}) });
const METRICS = filesOf('logging/metrics/');
const POLICIES = filesOf('alerts/');

test.each(POLICIES)('%s follows the rules of Cloud Monitoring', (file) => {
  const store = new Store();
  for (const metric of METRICS) store.put(`projects/p/metrics/${basename(metric, '.yaml')}`, {});
  expect(store.put('projects/p/alertPolicies/1', object.parse(read(file)))).not.toHaveProperty(
    'status',
  );
});

const THRESHOLD = z.object({
  filter: z.string(),
  aggregations: z.array(z.object({ alignmentPeriod: z.string() })),
  comparison: z.string(),
  thresholdValue: z.number(),
  duration: z.string(),
});
const ALERT_FILE = z.object({
  documentation: z.object({ content: z.string(), mimeType: z.literal('text/markdown') }),
  conditions: z
    .array(z.object({ displayName: z.string(), conditionThreshold: THRESHOLD.optional() }))
    .min(1),
});

test.each(POLICIES)('docs/runbook.md has an entry for %s, with its conditions', (file) => {
  const runbook = readFileSync(new URL('../docs/runbook.md', DEPLOY), 'utf8');
  const name = basename(file, '.yaml');
  const { documentation, conditions } = ALERT_FILE.parse(read(file));
  expect(documentation.content).toContain(`docs/runbook.md, "${name}"`);
  const [entry = ''] = runbook.split(`\n### ${name}\n`)[1]?.split(/\n##+ /) ?? [];
  for (const condition of conditions) {
    expect(entry.replaceAll('\n', ' ')).toContain(condition.displayName);
  }
  expect(JSON.stringify(read(file))).toMatch(/"thresholdValue":\d|"conditionMatchedLog"/);
});

/** The conditions on 5xx are replayed in `alerts.unit.test.ts`. */
test('every other condition does what its name says', () => {
  const conditions = POLICIES.flatMap((file) => ALERT_FILE.parse(read(file)).conditions);
  const found = conditions.flatMap(({ displayName, conditionThreshold: threshold }) => {
    if (!threshold || threshold.filter.includes('5xx')) return [];
    const { filter, aggregations, comparison, thresholdValue, duration } = threshold;
    const labels = filter.match(/(?<=metric\.labels\.)\w+!?=\S+/g) ?? ['any'];
    const times = `in ${aggregations[0]?.alignmentPeriod}, for ${duration}`;
    return [
      [displayName, `${labels.join(' ')} ${comparison.slice(-2)} ${thresholdValue} ${times}`],
    ];
  });
  expect(found).toEqual([
    ['an audit had another number of findings', 'found!="0" GT 0 in 90000s, for 60s'],
    ['an execution failed', 'result="failed" GT 0 in 300s, for 60s'],
    ['a response with status 429 within 5 minutes', 'any GT 0 in 300s, for 60s'],
    ['more than 1,200,000 reads in 5 minutes', 'any GT 1200000 in 300s, for 60s'],
    ['26 hours without a successful execution', 'result="succeeded" LT 1 in 90000s, for 3600s'],
    [
      'more than 300 responses with code unauthorized in 5 minutes',
      'code="unauthorized" GT 300 in 300s, for 60s',
    ],
    [
      'a request with an inactive key in the last hour',
      'code="unauthorized" keyId!="" GT 0 in 3600s, for 60s',
    ],
    ['95th percentile above 2 s for 10 minutes', 'any GT 2000 in 300s, for 600s'],
    [
      'an audit found no document that was synced in 72 hours',
      'stale="true" GT 0 in 90000s, for 60s',
    ],
    [
      'checks from more than one region fail for 5 minutes',
      'check_id="UPTIME_CHECK_ID" GT 1 in 1200s, for 300s',
    ],
    ['a key was refused because of its record', 'message=starts_with("API GT 0 in 3600s, for 60s'],
    ['an attestation was left out', 'message=starts_with("attestation GT 0 in 3600s, for 60s'],
  ]);
});

const BINDINGS = readFileSync(new URL('iam/bindings.txt', DEPLOY), 'utf8').trim().split('\n');

test.each(BINDINGS)('docs/administration.md says who has a role: %s', (line) => {
  const [account, role = ''] = line.split(' ');
  const rows = readFileSync(new URL('../docs/administration.md', DEPLOY), 'utf8')
    .split('\n')
    .filter((row) => row.startsWith('| ') && row.includes(`\`${account}\``));
  expect(rows.join('\n')).toContain(`\`${role.replace('projects/PROJECT/roles/', '')}\``);
});

test.each([
  ['pohKeyAdmin', /\.delete/],
  ['pohTokenPurge', /\.(create|update)/],
])('%s has no permission that docs/administration.md denies: %s', (role, denied) => {
  expect(JSON.stringify(read(`iam/${role}.yaml`))).not.toMatch(denied);
});

test('alerts and the dashboard use existing metrics and labels', () => {
  const labels = new Map(
    METRICS.map((file) => [
      file.replace(/^.*\/(.*)\.yaml$/, '$1'),
      Object.keys(METRIC_FILE.parse(read(file)).labelExtractors),
    ]),
  );
  const seen = new Set<string>();
  for (const file of [...POLICIES, 'dashboard.yaml']) {
    const whole = readFileSync(new URL(file, DEPLOY), 'utf8');
    for (const part of whole.split(/(?=filter: >-)/)) {
      const metric = /logging\.googleapis\.com\/user\/([\w-]+)/.exec(part)?.[1];
      if (metric === undefined) continue;
      seen.add(metric);
      const used = [...part.matchAll(/metric\.labels\.(\w+)/g)].map(([, label]) => label);
      expect(labels.get(metric), `${metric} in ${file}`).toEqual(expect.arrayContaining(used));
    }
  }
  expect([...seen].sort()).toEqual([...labels.keys()].sort());
});

/** Grouped by their number, changed findings open an incident. Grouped alike, a stopped mirror would open one a day. */
test('another number of findings notifies again, and a stopped mirror only once', () => {
  const grouped = POLICIES.filter((file) =>
    readFileSync(new URL(file, DEPLOY), 'utf8').includes('groupByFields: [metric.labels.found]'),
  );
  expect(grouped).toEqual(['alerts/audit-findings.yaml']);
});

test('the function logs the messages that the alerts match', () => {
  const source = ['lookup.ts', 'attestations.ts']
    .map((name) => readFileSync(new URL(`../functions/src/${name}`, DEPLOY), 'utf8'))
    .join('');
  const matched = POLICIES.flatMap((file) => [
    ...readFileSync(new URL(file, DEPLOY), 'utf8').matchAll(/message=starts_with\("([^"]+)"\)/g),
  ]).map(([, message]) => message);
  expect(matched).toHaveLength(2);
  for (const message of matched)
    expect(source).toMatch(new RegExp(`message(: | = )['\`]${message}`));
});

const DETAILS = { httpStatus: 403, status: 'PERMISSION_DENIED', reason: 'QUOTA_EXCEEDED' };
/** The line of a failed lookup, with every field of a cause. */
const line = await failedLine(
  Object.assign(new GoogleError('x', DETAILS, new Error('y')), { code: 'ECONNRESET' }),
);

test('the metrics extract fields that the log line of a lookup has', async () => {
  const files = METRICS.filter((file) => file.includes('/poh-lookup'));
  const text = files.map((file) => readFileSync(new URL(file, DEPLOY), 'utf8')).join('');
  const extracted = [...text.matchAll(/EXTRACT\(jsonPayload\.(\w+)\)/g)].map(([, name]) => name);
  expect(new Set(extracted).size).toBe(5);
  expect(Object.keys(line)).toEqual(expect.arrayContaining(extracted));
  expect(text).toContain(`jsonPayload.message="${line.message}"`);
});

test('docs/runbook.md lists the fields of a log line', async () => {
  const runbook = readFileSync(new URL('../docs/runbook.md', DEPLOY), 'utf8');
  const [section = ''] = runbook.split('\n## The log line\n')[1]?.split('\n## ') ?? [];
  const documented = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
  );
  // The severity is beside jsonPayload.
  const { severity: _, ...payload } = line;
  const ofCause = Object.keys(payload['cause'] ?? {}).map((name) => `cause.${name}`);
  expect(documented.sort()).toEqual([...Object.keys(payload), ...ofCause].sort());
});
