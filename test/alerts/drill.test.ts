// Runs the drill on the emulators, and evaluates every filter over what the function and the job print there.

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { drillOnEmulators } from '../../deploy/drill.ts';
import { type LogEntry, matches } from '../../deploy/logFilter.ts';
import { seedWallet } from '../support/seed.ts';

const PLACE = { project: 'acme-poh', region: 'europe-west1', site: 'acme.web.app' };
// Otherwise the mirror may be empty.
await seedWallet({ attestationType: 0 });
const { entries, found } = await drillOnEmulators(PLACE);
const fieldOf = (entry: LogEntry, name: string) => Reflect.get(Object(entry['jsonPayload']), name);
const METRICS = new Map(
  globSync('deploy/logging/metrics/*.yaml').map((file) => [
    basename(file, '.yaml'),
    parse(readFileSync(file, 'utf8')),
  ]),
);

/** Values of a field that each alert must find. Other tests' keys are in the same project. */
test.each([
  ['revoked-key-in-use', 'code', ['unauthorized']],
  ['unusable-records', 'message', ['key record has wrong fields']],
  ['key-ends-soon', 'project', ['Drill']],
  ['mirror', 'state', ['stopped']],
  ['job-failed', 'step', ['accounts', 'keys', 'admins']],
])('%s', (alert, field, values) => {
  const fields = found.get(alert)?.map((entry) => fieldOf(entry, field));
  expect(fields).toEqual(expect.arrayContaining(values));
});

test('every alert over the log was provoked, and no lookup that is well matches any', () => {
  expect([...found].filter(([, matched]) => matched.length === 0)).toEqual([]);
  const good = entries.filter((entry) => fieldOf(entry, 'code') === 'ok');
  expect(good).not.toEqual([]);
  for (const [alert, matched] of found)
    expect(
      matched.filter((entry) => good.includes(entry)),
      alert,
    ).toEqual([]);
});

test.each([
  ['poh-lookups', 3],
  // Only lookups that reached a key have a mode.
  ['poh-durations', 1],
  ['poh-turned-away', 0],
])('the metric %s counts %i of the lines', (metric, count) => {
  const { filter, labelExtractors = {}, valueExtractor } = METRICS.get(metric);
  const counted = entries.filter((entry) => matches(filter, entry));
  expect(counted).toHaveLength(count);
  for (const extractor of [...Object.values(labelExtractors), valueExtractor].filter(Boolean)) {
    const [, name = ''] = /^EXTRACT\(jsonPayload\.(\w+)\)$/.exec(String(extractor)) ?? [];
    expect(
      counted.some((entry) => fieldOf(entry, name) !== undefined),
      name,
    ).toBe(true);
  }
});

/** An entry of Cloud Run's own log of requests. */
const request = (service_name: string, status: number, textPayload?: string): LogEntry => ({
  resource: { type: 'cloud_run_revision', labels: { service_name } },
  logId: 'run.googleapis.com/requests',
  httpRequest: { status },
  textPayload,
});

test('request logs of this service, and of no other, are left out, and those without an instance are counted', () => {
  const excluded = readFileSync('deploy/logging/request-urls.filter', 'utf8');
  const { filter } = METRICS.get('poh-turned-away');
  const full = 'The request was aborted because there was no available instance.';
  expect(matches(excluded, request('pohattestationsendpoint', 200))).toBe(true);
  expect(matches(excluded, request('another', 200))).toBe(false);
  expect(entries.filter((entry) => matches(excluded, entry))).toEqual([]);
  expect(matches(filter, request('pohattestationsendpoint', 429, full))).toBe(true);
  expect(matches(filter, request('pohattestationsendpoint', 429))).toBe(false);
  expect(matches(filter, request('pohattestationsendpoint', 500, full))).toBe(false);
});
