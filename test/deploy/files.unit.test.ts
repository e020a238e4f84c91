// Compares the files of deploy/ with the function's log and with the documents for operators.

import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { FOLDERS } from '../../deploy/google.ts';
import { keyFile } from '../../deploy/keys.ts';
import { compare } from '../../deploy/plan.ts';
import { fillEntry, readTable, wordsOf } from '../../deploy/table.ts';
import { GoogleError } from '../../functions/src/google/exchange.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { commandsOf } from '../cli/adminCommand.ts';
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

const words = wordsOf(
  PROJECT,
  { ...SETTINGS, canaryEmail: 'canary@example.com', github: 'acme/poh' },
  undefined,
);
const templates = Object.values(readTable(words)).flat();
const entries = templates.map((template) => fillEntry(template, words));
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

test('docs/administration.md has the roles of each account, and no others', () => {
  const rows = textOf('docs/administration.md').matchAll(/^\| .*`(poh-\w+)` \| (.*?) \|/gm);
  const documented = [...rows].map(([, account = '', cell = '']) => {
    const roles = cell.matchAll(/`(?:roles\/)?((?:\w+\.)+\w+|poh[A-Z]\w+)`/g);
    return [account, sorted([...roles].map(([, role = '']) => role))];
  });
  const granted = entries.flatMap(({ of = '', want }) => {
    const [, account = ''] = /^serviceAccount:(poh-(?!deploy)\w+)@/.exec(of) ?? [];
    return [want['roles']].flat().map((role) => ({ account, role: String(role) }));
  });
  const byAccount = Map.groupBy(granted, ({ account }) => account);
  byAccount.delete('');
  expect(
    Object.fromEntries(
      [...byAccount].map(([account, all]) => [account, sorted(all.map(({ role }) => role))]),
    ),
  ).toEqual(Object.fromEntries(documented));
});

const { promises, values } = parse(textOf('test/deploy/cases.yaml'));

test.each<[string, string, string]>(promises)(
  'the documents say "%s", and %s has it',
  (promise, title, value) => {
    expect(documents.replaceAll('\n', ' ')).toContain(promise);
    const entry = entries.find(({ what }) => what.includes(title));
    expect(JSON.stringify(entry?.want)).toContain(value);
  },
);

test.each<[string, string, object]>(values)('%s: %s', (title, _reason, value) => {
  const entry = entries.find(({ what }) => what.startsWith(title));
  const { first, also, want } = entry ?? {};
  expect(compare(value, entry && { ...first, ...also, ...want })).toEqual([]);
});

test('the documents name the file where a deployment keeps the key of smoke', () => {
  const named = documents.match(/(?<=~\/\.poh\/ID\/)[\w.-]*\w/g);
  expect(new Set(named)).toEqual(new Set([basename(keyFile(FOLDERS, PROJECT, 'smoke'))]));
});

test('the job gets what its script reads, and the script runs commands that exist', () => {
  const script = textOf('deploy/image/hourly.sh');
  const job = JSON.stringify(
    entries.filter(({ what }) => /^the (scheduled job|secret)/.test(what)),
  );
  const read = script.matchAll(/\$\{?([A-Z]+_?[A-Z]+)\b/g);
  // A person may set this one.
  const names = sorted([...read].map(([, name = '']) => name)).filter(
    (one) => !/MAX|FIRE/.test(one),
  );
  expect(names.length).toBeGreaterThan(3);
  for (const name of [...names, 'RPC_URL']) expect(job).toContain(`"name":"${name}"`);
  const commands = [...script.matchAll(/\bpoh (\w+ \w+)/g)].map(([, command]) => command);
  expect(commandsOf().map(([name]) => name)).toEqual(expect.arrayContaining(commands));
});

test.each([
  ['deploy/image/Dockerfile', 'USER node', 'the job is not root'],
  ['deploy/image/cloudbuild.yaml', 'serviceAccounts/poh-build@', 'the build may do nothing else'],
  ['docs/administration.md', 'roles/iam.serviceAccountTokenCreator', 'people can be poh-keys'],
  ['.github/workflows/deploy.yml', 'concurrency: deploy', 'a deployment waits for the one before'],
])('%s has %s, so %s', (file, text) => {
  expect(textOf(file)).toContain(text);
});

test('the exclusion names the function, and the whole of its request log', () => {
  const exclusion = entries.find(({ what }) => what.includes('the exclusion'));
  expect(exclusion?.want['filter']).toBe(
    `resource.type="cloud_run_revision" AND resource.labels.service_name="${ENDPOINT_NAME.toLowerCase()}" AND log_id("run.googleapis.com/requests")`,
  );
});

test.each([
  ...['the database', 'the deletion of tokens', 'the role pohJob', 'the roles of poh-lookup'],
  ...['the roles of poh-deploy', 'GitHub in this pool', 'the exclusion', 'the alert job-failed'],
  'sign-in by e-mail',
])('the scheduled job checks %s', (title) => {
  const place = entries.findIndex(({ what }) => what.startsWith(title));
  expect(templates[place]?.raw).toMatchObject({ security: true });
});

test('pohKeyAdmin cannot delete', () => {
  const role = entries.find(({ what }) => what.includes('pohKeyAdmin'));
  expect(JSON.stringify(role?.want)).toContain('datastore.entities.update');
  expect(JSON.stringify(role?.want)).not.toContain('delete');
});

/** What the job of a workflow may change. */
const WRITES: Readonly<Record<string, string>> = {
  deploy: 'id-token',
  security: 'security-events',
};

test.each(filesOf('.github/{workflows/*,actions/*/action}.yml'))(
  '%s runs only pinned actions, keeps no credentials, and may change only what it needs',
  (file) => {
    const text = textOf(file);
    for (const [, action] of text.matchAll(/uses: (?!\.\/)(.*)/g))
      expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const kept = text.match(/actions\/checkout@.*\n +with:\n +persist-credentials: false/g);
    expect(kept?.length).toBe(text.match(/actions\/checkout@/g)?.length);
    const [, name = ''] = /workflows\/(\w+)/.exec(file) ?? [];
    expect(text.match(/\S+(?=: write)/g)?.join()).toBe(WRITES[name]);
    if (name)
      expect(text).toMatch(/^ *permissions:\n( +#.*\n| +actions: read\n)* +contents: read$/m);
  },
);

test('GitHub deploys only main, after a review, as the account that the project trusts', () => {
  const { deploy } = parse(textOf('.github/workflows/deploy.yml')).jobs;
  const [provider] = entries.filter(({ what }) => what.startsWith('GitHub in this pool'));
  expect(deploy).toMatchObject({
    if: "github.ref == 'refs/heads/main'",
    environment: 'production',
    steps: expect.arrayContaining([
      expect.objectContaining({
        with: {
          workload_identity_provider: `projects/\${{ vars.PROJECT_NUMBER }}/${provider?.get.replace('iam/v1/', '')}`,
          service_account: expect.stringMatching(/^poh-deploy@/),
        },
      }),
    ]),
  });
});

test('CI runs every part, and every shard of the tests', () => {
  const commands = Object.fromEntries(
    [...textOf('.ci/run').matchAll(/^ {2}\[([\w-]+)\]='(.*)'$/gm)].map(([, part, run]) => [
      part,
      run,
    ]),
  );
  const { part } = parse(textOf('.github/workflows/ci.yml')).jobs.run.strategy.matrix;
  expect([...part, 'soak', 'tests'].sort()).toEqual(Object.keys(commands).sort());
  const shards = Object.values(commands).filter((command) => /--shard/.test(String(command)));
  expect(shards).toEqual(
    shards.map((_, index) => `${commands['tests']} -- --shard ${index + 1}/${shards.length}`),
  );
  expect(textOf('.github/workflows/soak.yml')).toContain('run: .ci/run soak\n');
});
