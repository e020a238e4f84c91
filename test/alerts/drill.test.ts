// Runs the first part of the drill on the emulators, and evaluates every filter over what the function and the job print there.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readAlerts } from '../../deploy/alerts.ts';
import { filterOf, provokeLines } from '../../deploy/drill.ts';
import { FOLDERS, Google, type Outside } from '../../deploy/google.ts';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { entryOf, type LogEntry, matches } from './logFilter.ts';

// Otherwise the mirror may be empty.
await seedWallet({ attestationType: 0 });

const job = temporaryFolder();
cpSync('deploy/image', job, { recursive: true });
execFileSync(process.execPath, ['tools/build.ts', job, '--jobs']);
let printed = '';
/** The Firestore emulator instead of Google's, and the job on this machine. */
const outside: Outside = {
  fetch: (url, init) => {
    const emulator = `http://${process.env['FIRESTORE_EMULATOR_HOST']}`;
    return fetch(url.replace('https://firestore.googleapis.com', emulator), init);
  },
  run: async (_, words) => {
    const set = words[words.indexOf('--update-env-vars') + 1] ?? '';
    const variables = Object.fromEntries(set.split(',').map((pair) => pair.split('=')));
    const env = {
      ...process.env,
      GOOGLE_CLOUD_PROJECT: EMULATED_PROJECT,
      PROGRAM: '',
      ...variables,
    };
    const run = spawnSync('bash', [join(job, 'hourly.sh')], { env, encoding: 'utf8' });
    printed = run.stdout;
    return { status: run.status ?? 1, output: '', errors: run.stderr };
  },
  sleep: () => Promise.resolve(),
  say: () => undefined,
  ask: undefined,
  folders: FOLDERS,
};
const served = await serveFunction();
const google = new Google(outside, EMULATED_PROJECT, () => Promise.resolve('owner'));
await provokeLines(google, served.url, 'us-central1').finally(served.stop);

const entriesIn = (output: string, type: Parameters<typeof entryOf>[1]) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => entryOf(line, type));
// What cannot be provoked on the emulators.
const SEVERAL = '{"severity":"WARNING","message":"several accounts","uids":["a","b"]}';
const DRIFT = '{"severity":"WARNING","message":"drift","found":1}';
const entries = [
  ...entriesIn(`${served.output()}\n${SEVERAL}`, 'cloud_run_revision'),
  ...entriesIn(`${printed}\n${DRIFT}`, 'cloud_run_job'),
];
const alerts = readAlerts({ project: EMULATED_PROJECT, region: '-', site: '-' });
/** The entries that the filter of each alert over the log matches. */
const found = new Map(
  [...alerts].flatMap(([name, alert]) => {
    const filter = filterOf(alert);
    return filter === undefined ? [] : [[name, entries.filter((entry) => matches(filter, entry))]];
  }),
);
const fieldOf = (entry: LogEntry, name: string) => Reflect.get(Object(entry['jsonPayload']), name);
const METRICS = new Map(
  globSync('deploy/logging/*.yaml').map((file) => [
    basename(file, '.yaml'),
    parse(readFileSync(file, 'utf8')),
  ]),
);

/** Values of a field that each alert must find. Other tests' keys are in the same project. */
test.each([
  ['revoked-key-in-use', 'code', ['unauthorized']],
  ['unusable-records', 'message', ['key record has wrong fields', 'several accounts']],
  ['key-ends-soon', 'project', ['Drill']],
  ['mirror', 'state', ['stopped']],
  ['job-failed', 'step', ['accounts', 'keys', 'admins']],
  ['job-failed', 'message', ['drift']],
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
  ['poh-reads', 3],
  // Only lookups that reached a key have a mode.
  ['poh-durations', 1],
  ['poh-turned-away', 0],
])('the metric %s counts %i of the lines', (metric, count) => {
  const { filter, labelExtractors = {}, valueExtractor } = METRICS.get(metric);
  const counted = entries.filter((entry) => matches(filter, entry));
  expect(counted).toHaveLength(count);
  for (const extractor of [...Object.values(labelExtractors), valueExtractor].filter(Boolean)) {
    const [, name = ''] = /^EXTRACT\(jsonPayload\.(\w+)\)$/.exec(String(extractor)) ?? [];
    const found = counted.filter((entry) => fieldOf(entry, name) !== undefined);
    expect(found.length, name).toBeGreaterThanOrEqual(extractor === valueExtractor ? count : 1);
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
  const { after } = parse(readFileSync('deploy/project.yaml', 'utf8'), { merge: true });
  const excluded: string = after[0].want.filter;
  const { filter } = METRICS.get('poh-turned-away');
  const full = 'The request was aborted because there was no available instance.';
  expect(matches(excluded, request('pohattestationsendpoint', 200))).toBe(true);
  expect(matches(excluded, request('another', 200))).toBe(false);
  expect(entries.filter((entry) => matches(excluded, entry))).toEqual([]);
  expect(matches(filter, request('pohattestationsendpoint', 429, full))).toBe(true);
  expect(matches(filter, request('pohattestationsendpoint', 429))).toBe(false);
  expect(matches(filter, request('pohattestationsendpoint', 500, full))).toBe(false);
});
