// Compares the files of deploy/ with each other, with the function's log and with the documents for operators.

import { basename } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTable } from '../../deploy/state.ts';
import { wordsOf } from '../../deploy/words.ts';
import { GoogleError } from '../../functions/src/google/exchange.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { filesOf, textOf } from './repository.ts';
import { PROJECT, SETTINGS } from './standIn.ts';

const METRICS = filesOf('deploy/logging/metrics/*.yaml');
const ALERTS = filesOf('deploy/alerts/*.yaml');
const runbook = textOf('docs/runbook.md');
const documents = filesOf('docs/*.md').map(textOf).join('\n');

/** The line of a failed lookup, with every field of a cause. */
const line = await new Promise<LogLine>((log, reject) => {
  const details = { httpStatus: 403, status: 'PERMISSION_DENIED', reason: 'QUOTA_EXCEEDED' };
  const error = Object.assign(new GoogleError('x', details, new Error('y')), { code: 'EPIPE' });
  const endpoint = createEndpoint({
    firestore: {
      readDocument: async () => ({ active: true, project: 'Acme' }),
      queryDocuments: () => Promise.reject(error),
    },
    accounts: { findByEmail: () => Promise.reject(error) },
    now: Date.now,
    log,
  });
  const target = '/?wallet=11111111111111111111111111111111';
  endpoint({ method: 'GET', target, apiKey: 'x', requestId: 'the-request' }).catch(reject);
});

test.each(ALERTS)('docs/runbook.md has an entry for %s, with its conditions', (file) => {
  const name = basename(file, '.yaml');
  const { documentation, conditions } = parse(textOf(file));
  expect(documentation.content).toContain(`docs/runbook.md, "${name}"`);
  expect(conditions).not.toEqual([]);
  const [entry = ''] = runbook.split(`\n### ${name}\n`)[1]?.split(/\n##+ /) ?? [];
  for (const condition of conditions) {
    expect(entry.replaceAll('\n', ' ')).toContain(condition.displayName);
  }
});

/** The PromQL of all files. */
const QUERIES: string[] = [];
for (const file of [...ALERTS, 'deploy/dashboard.yaml']) {
  JSON.stringify(parse(textOf(file)), (name, value) => {
    if (/^(query|prometheusQuery)$/.test(name)) QUERIES.push(value);
    return value;
  });
}

test.each(QUERIES)('is PromQL: %s', (query) => {
  expect(() => parser.configure({ strict: true }).parse(query)).not.toThrow();
});

test('alerts and the dashboard use all metrics from the log, with labels that they have', () => {
  const labels = new Map(
    METRICS.map((file) => {
      const name = `logging_googleapis_com:user_${basename(file, '.yaml').replaceAll('-', '_')}`;
      return [name, Object.keys(parse(textOf(file)).labelExtractors ?? {})];
    }),
  );
  const seen = new Set<string>();
  for (const query of QUERIES.filter((one) => one.includes('logging_'))) {
    const [metric = ''] = /logging_\w+:\w+/.exec(query) ?? [];
    seen.add(metric);
    const [, grouped = ''] = /\bby \((.*?)\)/.exec(query) ?? [];
    const matched = [...query.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label);
    const used = [...grouped.split(', ').filter(Boolean), ...matched];
    const known = ['monitored_resource', ...(labels.get(metric) ?? [])];
    expect(known, query).toEqual(expect.arrayContaining(used));
  }
  expect([...seen].sort()).toEqual([...labels.keys()].sort());
});

test.each(ALERTS)('%s can be created before its metric from the log has data', (file) => {
  const text = textOf(file);
  const queries = text.match(/^ +query:/gm)?.length;
  const unvalidated = text.match(/disableMetricValidation: true/g)?.length;
  expect(unvalidated).toBe(text.includes('logging_') ? queries : undefined);
});

test('the function logs the messages that the alerts match', () => {
  const source = filesOf('functions/src/**/*.ts').map(textOf).join('');
  const matched = ALERTS.flatMap(
    (file) => /message=~"\(?(.*?)\)?\.\*"/.exec(textOf(file))?.[1]?.split('|') ?? [],
  );
  expect(matched).toHaveLength(3);
  for (const message of matched)
    expect(source).toMatch(new RegExp(`message(: | = )['\`]${message}`));
});

test('metrics and commands read only fields that a log line has', () => {
  const metric = textOf('deploy/logging/metrics/poh-lookups.yaml');
  const commands = documents.match(
    /gcloud logging read '(?:jsonPayload.message="lookup"|severity)[\s\S]*?\n *```/g,
  );
  const used = [metric, ...(commands ?? [])].join('').matchAll(/jsonPayload\.(\w+)/g);
  const names = [...used].map(([, name]) => name);
  expect(new Set(names).size).toBeGreaterThan(5);
  expect([...Object.keys(line), 'count']).toEqual(expect.arrayContaining(names));
  expect(metric).toContain(`jsonPayload.message="${line.message}"`);
});

test('docs/deploy.md lists the fields of a log line', () => {
  const [section = ''] =
    textOf('docs/deploy.md').split('\n## The log line\n')[1]?.split('\n## ') ?? [];
  const documented = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
  );
  // The severity is beside jsonPayload.
  const { severity: _, ...payload } = line;
  const ofCause = Object.keys(payload['cause'] ?? {}).map((name) => `cause.${name}`);
  expect(documented.sort()).toEqual([...Object.keys(payload), ...ofCause].sort());
});

const { before, release } = readTable(wordsOf(PROJECT, SETTINGS, undefined));
const accounts: Record<string, string[]> = parse(textOf('deploy/project.yaml')).accounts;
const roles = Object.entries(accounts)
  .filter(([account]) => account !== 'poh-deploy')
  .flatMap(([account, all]) => all.map((role) => [account, role] as const));

test.each(roles)('docs/administration.md says who has a role: %s, %s', (account, role) => {
  const rows = textOf('docs/administration.md')
    .split('\n')
    .filter((row) => row.startsWith('| ') && row.includes(`\`${account}\``));
  expect(rows.join('\n')).toMatch(new RegExp(`\`(roles/)?${role.replace('.', '\\.')}\``));
});

/** What the documents promise, and the values that keep it, of the entry whose title has a text. */
test.each([
  ['Firestore deletes them about a day later', 'deletion of tokens', '"expirationOffset":"86400s"'],
  ['7 days (point-in-time recovery)', 'the database', 'POINT_IN_TIME_RECOVERY_ENABLED'],
  ['nobody deletes the database by mistake', 'the database', 'DELETE_PROTECTION_ENABLED'],
  ['4 weeks (daily backups)', 'daily backups', '"retention":"2419200s"'],
  ['| 28 days |', 'the bucket of daily copies', '"type":"Delete"},"condition":{"age":28}'],
  [
    'no one outside reads the copies',
    'the bucket of daily copies',
    '"publicAccessPrevention":"enforced"',
  ],
  ['a deleted copy is gone', 'the bucket of daily copies', '"retentionDurationSeconds":0'],
  [
    'a year; 60 days, except the latest three',
    'the images of earlier revisions',
    '"olderThan":"31536000s"',
  ],
  [
    'a year; 60 days, except the latest three',
    "repository of the job's images",
    '"olderThan":"5184000s"',
  ],
  ['a year; 60 days, except the latest three', "repository of the job's images", '"keepCount":3'],
  ['Sign-up is off', 'sign-in by e-mail', '"disabledUserSignup":"NO_SIGN_UP"'],
  ['protection from finding out', 'sign-in by e-mail', '"enableImprovedEmailPrivacy":true'],
])('docs/deploy.md says "%s", and %s has it', (promise, title, value) => {
  expect(textOf('docs/deploy.md').replaceAll('\n', ' ')).toContain(promise);
  const entry = [...before, ...release].find(({ what }) => what.includes(title));
  expect(JSON.stringify(entry?.want)).toContain(value);
});

test('the exclusion names the function, and the whole of its request log', () => {
  const name = `${'pohAttestationsEndpoint'.toLowerCase()}`;
  expect(textOf('deploy/logging/request-urls.filter').trim()).toBe(
    `resource.type="cloud_run_revision" AND resource.labels.service_name="${name}" AND log_id("run.googleapis.com/requests")`,
  );
});

test('pohKeyAdmin cannot delete', () => {
  const { roles } = parse(textOf('deploy/project.yaml'));
  expect(roles.pohKeyAdmin.join()).toContain('datastore.entities.update');
  expect(roles.pohKeyAdmin.join()).not.toContain('delete');
});
