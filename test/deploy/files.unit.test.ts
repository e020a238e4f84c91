// Compares the files of deploy/ with each other, with the function's log and with the documents for operators.

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { GoogleError } from '../../functions/src/google/exchange.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { text as documents } from './documents.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (file: string): string => readFileSync(ROOT + file, 'utf8');
const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).sort();
const METRICS = filesOf('deploy/logging/metrics/*.yaml');
const ALERTS = filesOf('deploy/alerts/*.yaml');
const runbook = textOf('docs/runbook.md');

const WALLET = '11111111111111111111111111111111';

/** The line of a failed lookup, with every field of a cause. */
async function failedLine(): Promise<LogLine> {
  const details = { httpStatus: 403, status: 'PERMISSION_DENIED', reason: 'QUOTA_EXCEEDED' };
  const error = Object.assign(new GoogleError('x', details, new Error('y')), {
    code: 'ECONNRESET',
  });
  const lines: LogLine[] = [];
  const fail = () => Promise.reject(error);
  const endpoint = createEndpoint({
    firestore: {
      readDocument: () => Promise.resolve({ active: true, project: 'Acme' }),
      queryDocuments: fail,
    },
    accounts: { findByEmail: fail },
    now: Date.now,
    log: (line) => lines.push(line),
  });
  await endpoint({
    method: 'GET',
    target: `/?wallet=${WALLET}`,
    apiKey: 'x',
    requestId: 'the-request',
  });
  const [line] = lines;
  if (!line) throw new Error('nothing was logged');
  return line;
}
const line = await failedLine();

const alertFile = z.object({
  documentation: z.object({ content: z.string(), mimeType: z.literal('text/markdown') }),
  conditions: z.array(z.object({ displayName: z.string() })).min(1),
});

test.each(ALERTS)('docs/runbook.md has an entry for %s, with its conditions', (file) => {
  const name = basename(file, '.yaml');
  const { documentation, conditions } = alertFile.parse(parse(textOf(file)));
  expect(documentation.content).toContain(`docs/runbook.md, "${name}"`);
  const [entry = ''] = runbook.split(`\n### ${name}\n`)[1]?.split(/\n##+ /) ?? [];
  for (const condition of conditions) {
    expect(entry.replaceAll('\n', ' ')).toContain(condition.displayName);
  }
});

/** The PromQL of a file. */
const queriesOf = (file: string): string[] =>
  [
    ...JSON.stringify(parse(textOf(file))).matchAll(
      /"(?:query|prometheusQuery)":("(?:[^"\\]|\\.)*")/g,
    ),
  ].map(([, query = '']) => JSON.parse(query));
const QUERIES = [...ALERTS, 'deploy/dashboard.yaml'].flatMap(queriesOf);

test.each(QUERIES)('is PromQL: %s', (query) => {
  const errors: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) errors.push(`near "${query.slice(Math.max(0, from - 10), to + 10)}"`);
    },
  });
  expect(errors).toEqual([]);
});

const metricFile = z.object({ labelExtractors: z.record(z.string(), z.string()).default({}) });

test('alerts and the dashboard use all metrics from the log, with labels that they have', () => {
  const labels = new Map(
    METRICS.map((file) => {
      const name = `logging_googleapis_com:user_${basename(file, '.yaml').replaceAll('-', '_')}`;
      return [name, Object.keys(metricFile.parse(parse(textOf(file))).labelExtractors)];
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

test('an alert on a metric from the log can be created before the metric has data', () => {
  for (const file of ALERTS) {
    const text = textOf(file);
    const metrics = text.match(/^ +query:/gm)?.length ?? 0;
    const validated = text.includes('logging_') ? 0 : metrics;
    expect(text.match(/disableMetricValidation: true/g)?.length ?? 0, file).toBe(
      metrics - validated,
    );
  }
});

test('the function logs the messages that the alerts match', () => {
  const source = filesOf('functions/src/**/*.ts').map(textOf).join('');
  const matched = ALERTS.flatMap(
    (file) => /message=~"\(?(.*?)\)?\.\*"/.exec(textOf(file))?.[1]?.split('|') ?? [],
  );
  expect(matched).toHaveLength(4);
  for (const message of matched)
    expect(source).toMatch(new RegExp(`message(: | = )['\`]${message}`));
});

test('metrics and commands read only fields that a log line has', () => {
  const metrics = METRICS.filter((file) => file.includes('/poh-lookup'))
    .map(textOf)
    .join('');
  const commands = documents.match(
    /gcloud logging read '(?:jsonPayload.message="lookup"|severity)[\s\S]*?\n *```/g,
  );
  const used = [metrics, ...(commands ?? [])].join('').matchAll(/jsonPayload\.(\w+)/g);
  const names = new Set([...used].map(([, name]) => name));
  expect(names.size).toBeGreaterThan(5);
  expect([...Object.keys(line), 'count']).toEqual(expect.arrayContaining([...names]));
  expect(metrics).toContain(`jsonPayload.message="${line.message}"`);
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

const BINDINGS = textOf('deploy/iam/bindings.txt').trim().split('\n');

test.each(BINDINGS)('docs/administration.md says who has a role: %s', (binding) => {
  const [account, role = ''] = binding.split(' ');
  const rows = textOf('docs/administration.md')
    .split('\n')
    .filter((row) => row.startsWith('| ') && row.includes(`\`${account}\``));
  expect(rows.join('\n')).toContain(`\`${role.replace('projects/PROJECT/roles/', '')}\``);
});

test('pohKeyAdmin cannot delete', () => {
  expect(textOf('deploy/iam/pohKeyAdmin.yaml')).not.toMatch(/\.delete/);
});
