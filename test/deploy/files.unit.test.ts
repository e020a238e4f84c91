// Compares the files of deploy/ with the function's log and with the documents for operators.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { fillEntry, readTable, wordsOf } from '../../deploy/table.ts';
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
  const metric = textOf('deploy/logging/poh-lookups.yaml');
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
  const documented = [...section.matchAll(/`([\w.]+)`/g)].map(([, name]) => name);
  // The severity is beside jsonPayload.
  const { severity: _, ...payload } = line;
  const ofCause = Object.keys(payload['cause'] ?? {}).map((name) => `cause.${name}`);
  expect(documented.sort()).toEqual([...Object.keys(payload), ...ofCause].sort());
});

const words = wordsOf(PROJECT, { ...SETTINGS, github: 'acme/poh' }, undefined);
const templates = Object.values(readTable(words)).flat();
const entries = templates.map((template) => fillEntry(template, words));
const roles = entries.flatMap(({ of = '', want }) => {
  const [, account = ''] = /^serviceAccount:(poh-(?!deploy)[\w-]+)@/.exec(of) ?? [];
  return account ? [want['roles']].flat().map((role) => [account, String(role)] as const) : [];
});

test.each(roles)('docs/administration.md says who has a role: %s, %s', (account, role) => {
  const rows = textOf('docs/administration.md')
    .split('\n')
    .filter((row) => row.startsWith('| ') && row.includes(`\`${account}\``));
  expect(rows.join('\n')).toMatch(new RegExp(`\`(roles/)?${role.replace('.', '\\.')}\``));
});

const { promises } = parse(textOf('test/deploy/cases.yaml'));

test.each<[string, string, string]>(promises)(
  'the documents say "%s", and %s has it',
  (promise, title, value) => {
    expect(documents.replaceAll('\n', ' ')).toContain(promise);
    const entry = entries.find(({ what }) => what.includes(title));
    expect(JSON.stringify(entry?.want)).toContain(value);
  },
);

test('the exclusion names the function, and the whole of its request log', () => {
  const exclusion = entries.find(({ what }) => what.includes('the exclusion'));
  expect(exclusion?.want['filter']).toBe(
    `resource.type="cloud_run_revision" AND resource.labels.service_name="${ENDPOINT_NAME.toLowerCase()}" AND log_id("run.googleapis.com/requests")`,
  );
});

test.each([
  ...['the database', 'the deletion of tokens', 'the role pohJob', 'the roles of poh-lookup'],
  ...['the roles of poh-deploy', 'GitHub in this pool', 'the exclusion', 'the alert job-failed'],
])('the scheduled job checks %s', (title) => {
  const place = entries.findIndex(({ what }) => what.startsWith(title));
  expect(templates[place]?.raw).toMatchObject({ security: true });
});

test('pohKeyAdmin cannot delete', () => {
  const role = entries.find(({ what }) => what.includes('pohKeyAdmin'));
  expect(JSON.stringify(role?.want)).toContain('datastore.entities.update');
  expect(JSON.stringify(role?.want)).not.toContain('delete');
});
