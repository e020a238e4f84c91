// Tests `keys use` and `keys check`, which the scheduled job runs. The double of Cloud Monitoring replies in the
// documented form.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initializeApp } from 'firebase-admin/app';
import { getFirestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DAY_MS } from '../../contract/endpoint.ts';
import { unanswered } from '../doubles/callFaults.ts';
import { createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { expectOk, spawnAdmin, USER_CREDENTIALS } from './adminCommand.ts';

const project = `poh-${randomUUID().slice(0, 8)}`;
const db = getFirestore(initializeApp({ projectId: project }, project));
const credentials = join(temporaryFolder(), 'user.json');
let google: GoogleCloud;

beforeAll(async () => {
  google = await createGoogleCloud();
  writeFileSync(credentials, JSON.stringify(USER_CREDENTIALS), { mode: 0o600 });
});
afterAll(() => google.close());

/** Runs a command in production, where the double stands in for Google. */
const keys = (command: string) =>
  spawnAdmin(['--firebase-project', project, '--yes', 'keys', command], {
    ...google.env,
    K_SERVICE: undefined,
    GOOGLE_APPLICATION_CREDENTIALS: credentials,
  });

async function storeKey(fields: object): Promise<string> {
  const hash = randomBytes(32).toString('hex');
  await db.doc(`apiKeys/${hash}`).set({ active: true, project: 'Acme DAO', ...fields });
  return hash.slice(0, 12);
}
const useOf = async (id: string) => (await db.doc(`keyUse/${id}`).get()).data();

/** A time series of a key and a code, with counts for the periods before `end`, the newest first. */
const series = (keyId: string, code: string, end: number, counts: readonly number[]) => ({
  metric: { type: 'logging.googleapis.com/user/poh-lookups', labels: { keyId, code } },
  resource: { type: 'cloud_run_revision', labels: { project_id: project } },
  metricKind: 'DELTA',
  valueType: 'INT64',
  points: counts.map((count, i) => ({
    interval: {
      startTime: new Date(end - (i + 1) * DAY_MS).toISOString(),
      endTime: new Date(end - i * DAY_MS).toISOString(),
    },
    value: { int64Value: String(count) },
  })),
});

test('`keys use` counts the lookups with each key in 30 days, and nothing else', async () => {
  const [used, unused, idle, fresh] = await Promise.all(
    [{}, {}, { active: false }, {}].map(storeKey),
  );
  // The record then names the command line instead of the account.
  google.tokenEndpoint.service.failAll('tokeninfo', unanswered);
  await db.doc(`keyUse/${unused}`).set({ lookups: 7, refused: 7, lastUsedOn: '2026-01-02' });
  const queries: URLSearchParams[] = [];
  google.timeSeries = (query) => {
    queries.push(query);
    const end = Date.parse(query.get('interval.endTime') ?? '');
    const today = end - (end % DAY_MS);
    if (end !== today) return { timeSeries: [series(fresh ?? '', 'ok', today + DAY_MS, [5])] };
    if (!query.has('pageToken')) {
      const whole = series(used ?? '', 'ok', end, [0, 0, 1_000, 4]);
      return { timeSeries: [whole], nextPageToken: 'second page' };
    }
    return {
      timeSeries: [
        series(used ?? '', 'rate_limited', end, [0, 3]),
        series(used ?? '', 'mode_not_allowed', end, [0, 20]),
        series(used ?? '', 'unauthorized', end, [0, 100]),
        series(used ?? '', 'email_not_found', end, [0, 0, 0, 200]),
        series('', 'unauthorized', end, [500]),
        series('0123456789ab', 'ok', end, [9]),
      ],
      nextPageToken: '',
    };
  };
  expectOk(await keys('use'));
  const [first] = queries;
  const midnight = Date.parse(first?.get('interval.endTime') ?? '');
  expect(Object.fromEntries(first ?? [])).toMatchObject({
    filter:
      'metric.type="logging.googleapis.com/user/poh-lookups" AND resource.type="cloud_run_revision"',
    'interval.startTime': new Date(midnight - 29 * DAY_MS).toISOString(),
    'aggregation.alignmentPeriod': '86400s',
    'aggregation.perSeriesAligner': 'ALIGN_DELTA',
    'aggregation.crossSeriesReducer': 'REDUCE_SUM',
  });
  expect(first?.getAll('aggregation.groupByFields')).toEqual([
    'metric.labels.keyId',
    'metric.labels.code',
  ]);
  expect(queries[1]?.get('pageToken')).toBe('second page');
  const [call] = google.monitoring.service.callsOf('timeSeries');
  expect(call?.path).toMatch(`/v3/projects/${project}/timeSeries?`);
  expect(call?.headers.authorization).toBe('Bearer access-token');
  const asOf = expect.anything();
  const lastUsedOn = new Date(midnight - 2 * DAY_MS).toISOString().slice(0, 10);
  expect(await useOf(used ?? '')).toStrictEqual({ lookups: 1_327, refused: 123, lastUsedOn, asOf });
  const none = { lookups: 0, refused: 0, asOf };
  expect(await useOf(unused ?? '')).toStrictEqual({ ...none, lastUsedOn: '2026-01-02' });
  expect(await useOf(idle ?? '')).toStrictEqual(none);
  // Cloud Monitoring has no period shorter than the first minute of a day.
  if (queries.length === 3 || Date.now() % DAY_MS > 120_000) {
    const today = new Date(midnight).toISOString().slice(0, 10);
    const seconds = (Date.parse(queries[2]?.get('interval.endTime') ?? '') - midnight) / 1_000;
    const period = queries[2]?.get('aggregation.alignmentPeriod');
    expect(period).toBe(`${Math.floor(seconds)}s`);
    expect(await useOf(fresh ?? '')).toEqual({ lookups: 5, refused: 0, lastUsedOn: today, asOf });
  }
  expect((await db.collection('keyUse').get()).size).toBe(4);

  // What a failure says, and that the figures stay.
  for (const [reply, sentence] of [
    [{ timeSeries: [{ metric: {}, points: [{}] }] }, 'returned an unknown reply'],
    [undefined, 'Cloud Monitoring returned status 403'],
  ] as const) {
    if (reply) google.timeSeries = () => reply;
    else {
      google.monitoring.service.failAll('timeSeries', (response) => {
        response.writeHead(403).end('{}');
      });
    }
    const { status, stderr } = await keys('use');
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('monitoring.timeSeries.list');
    expect(status).toBe(1);
  }
  expect(await useOf(used ?? '')).toMatchObject({ lookups: 1_327 });
});

test('`keys check` prints a line for each key in use that ends soon, and for wrong fields', async () => {
  const day = (days: number) => new Date(Date.now() + days * DAY_MS);
  const contact = 'ops@acme.example';
  const ends = day(13.9);
  const [soon, unused, later, wrong] = await Promise.all(
    [
      { contact, expiresAt: ends },
      { expiresAt: ends },
      { expiresAt: day(14.1) },
      { modes: 'token', readsPerSecond: '5' },
      { active: false, modes: 'token' },
    ].map(storeKey),
  );
  for (const [id, days] of [
    [soon, -7],
    [unused, -8],
    [later, -1],
  ] as const) {
    const lastUsedOn = day(days).toISOString().slice(0, 10);
    await db.doc(`keyUse/${id}`).set({ lookups: 1, refused: 0, lastUsedOn });
  }
  const lines = expectOk(await keys('check'))
    .split('\n')
    .filter(Boolean);
  const line = { severity: 'WARNING', project: 'Acme DAO' };
  const parsed = lines.map((text) => JSON.parse(text));
  const { count } = (await db.collection('apiKeys').count().get()).data();
  expect(parsed.pop()).toEqual({ severity: 'INFO', message: 'keys checked', keys: count });
  expect(parsed).toHaveLength(2);
  // The mail shows each field of the line.
  const { severity, message, ...shown } = parsed.find(({ keyId }) => keyId === soon);
  const alert = parse(readFileSync('deploy/alerts/key-ends-soon.yaml', 'utf8'));
  const { labelExtractors } = alert.conditions[0].conditionMatchedLog;
  expect(Object.keys(labelExtractors).sort()).toEqual(Object.keys(shown).sort());
  expect(parsed).toEqual(
    expect.arrayContaining([
      { ...line, message: 'key ends soon', keyId: soon, contact, ends: ends.toISOString() },
      {
        ...line,
        message: 'key record has wrong fields',
        keyId: wrong,
        contact: null,
        fields: ['modes', 'readsPerSecond'],
      },
    ]),
  );
});
