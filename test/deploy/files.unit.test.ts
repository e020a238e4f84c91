// Compares the files of deploy/ with the function's log and with the documents for operators.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTable } from '../../deploy/state.ts';
import { wordsOf } from '../../deploy/words.ts';
import { GoogleError } from '../../functions/src/google/exchange.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { filesOf, textOf } from './repository.ts';
import { PROJECT, SETTINGS } from './standIn.ts';

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
