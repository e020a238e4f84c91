// Validates each file of deploy/ against Google's published definitions, and the filters against what
// the function logs.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { loadMessage, validationErrors } from './protoJson.ts';

const DEPLOY = new URL('../../deploy/', import.meta.url);
const read = (file: string): unknown => parse(readFileSync(new URL(file, DEPLOY), 'utf8'));
const filesOf = (directory: string) =>
  readdirSync(new URL(directory, DEPLOY))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${directory}${name}`);

const POLICY = loadMessage('google/monitoring/v3/alert.proto', 'google.monitoring.v3.AlertPolicy');
const DASHBOARD = loadMessage(
  'google/monitoring/dashboard/v1/dashboard.proto',
  'google.monitoring.dashboard.v1.Dashboard',
);
const METRIC = loadMessage(
  'google/logging/v2/logging_metrics.proto',
  'google.logging.v2.LogMetric',
);
const ROLE = loadMessage('google/iam/admin/v1/iam.proto', 'google.iam.admin.v1.Role');
const BUILD = loadMessage(
  'google/devtools/cloudbuild/v1/cloudbuild.proto',
  'google.devtools.cloudbuild.v1.Build',
);

const METRIC_FILE = z.object({ labelExtractors: z.record(z.string(), z.string()) });
const METRICS = filesOf('logging/metrics/');
const POLICIES = filesOf('alerts/');

test.each([
  ...POLICIES.map((file) => [file, POLICY] as const),
  ...METRICS.map((file) => [file, METRIC] as const),
  ...filesOf('iam/').map((file) => [file, ROLE] as const),
  ['dashboard.yaml', DASHBOARD] as const,
  ['image/cloudbuild.yaml', BUILD] as const,
])('%s is what Google reads', (file, type) => {
  expect(validationErrors(type, read(file))).toEqual([]);
});

test.each([
  [{ displayName: 1 }, ['AlertPolicy.displayName is no string']],
  [
    { displayname: 'x' },
    ['AlertPolicy.displayname is unknown to .google.monitoring.v3.AlertPolicy'],
  ],
  [{ alertStrategy: { autoClose: '30m' } }, ['AlertPolicy.alertStrategy.autoClose is no duration']],
  [{ conditions: {} }, ['AlertPolicy.conditions is no list']],
  [{ userLabels: { team: 1 } }, ['AlertPolicy.userLabels.team is no string']],
  [
    { conditions: [{ conditionAbsent: {}, conditionMatchedLog: {} }] },
    ['AlertPolicy.conditions[0] has more than one of condition'],
  ],
])('the check finds what is wrong in %j', (value, errors) => {
  expect(validationErrors(POLICY, value)).toEqual(errors);
});

test('each alert says what to do, and names a number or a log line', () => {
  for (const file of POLICIES) {
    expect(read(file), file).toMatchObject({
      documentation: { content: expect.stringMatching(/\w/), mimeType: 'text/markdown' },
      conditions: expect.arrayContaining([expect.anything()]),
    });
    expect(JSON.stringify(read(file)), file).toMatch(/"thresholdValue":\d|"conditionMatchedLog"/);
  }
});

test('alerts and dashboard use the metrics there are, and the labels that these have', () => {
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

test('the messages that the alerts wait for are ones that the function logs', () => {
  const source = ['apiKeys.ts', 'attestations.ts', 'requestLog.ts']
    .map((name) => readFileSync(new URL(`../functions/src/lookup/${name}`, DEPLOY), 'utf8'))
    .join('');
  const waitedFor = POLICIES.flatMap((file) => [
    ...readFileSync(new URL(file, DEPLOY), 'utf8').matchAll(/message=starts_with\("([^"]+)"\)/g),
  ]).map(([, message]) => message);
  expect(waitedFor).toHaveLength(2);
  for (const message of waitedFor) expect(source).toContain(`message: '${message}`);
  for (const field of ['lookup', 'code', 'mode', 'project', 'keyId', 'durationMs']) {
    expect(source).toMatch(new RegExp(`message: '${field}'|\\b${field}\\b`));
  }
});
