// Compares the alerts, the dashboard, the metrics from the log and the runbook with each other.

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readAlerts } from '../../deploy/alerts.ts';

const ALERTS = readAlerts({ project: 'acme-poh', region: 'europe-west1', site: 'acme.web.app' });
const LABELS = new Map(
  globSync('deploy/logging/*.yaml').map((file) => [
    basename(file, '.yaml').replaceAll('-', '_'),
    Object.keys(parse(readFileSync(file, 'utf8')).labelExtractors ?? {}),
  ]),
);

test('there are at most eleven alerts, and those over the log are alone in their policies', () => {
  expect(ALERTS.size).toBeLessThanOrEqual(11);
  for (const [name, { conditions, alertStrategy }] of ALERTS) {
    const overLog = conditions.filter(({ conditionMatchedLog }) => conditionMatchedLog);
    expect([0, conditions.length], name).toContain(overLog.length);
    if (overLog.length === 0) continue;
    expect(conditions, name).toHaveLength(1);
    // Google's minimum is 5 minutes.
    const seconds = parseInt(alertStrategy?.notificationRateLimit.period ?? '', 10);
    expect(seconds, name).toBeGreaterThanOrEqual(300);
  }
});

test.each([...ALERTS])(
  'the mail of %s has the condition with its query, the entry and the first command',
  (_, alert) => {
    const { content } = alert.documentation;
    // Google's limits.
    expect(content.length).toBeLessThan(8_192);
    expect(Buffer.byteLength(content)).toBeLessThan(10_240);
    const [, text = ''] = content.replaceAll('\n', ' ').split(/ {2}(.*)/);
    for (const { displayName } of alert.conditions) {
      const start = `- [${displayName}](https://console.cloud.google.com/`;
      // In Markdown, a parenthesis ends the link.
      expect(content.split('\n').find((line) => line.startsWith(start))).toMatch(/\]\([^()]+\)$/);
    }
    expect(text).toMatch(/\*\*Do:\*\*.*(```sh|`(gcloud|npm|curl) )/);
    // Nothing is left to fill in, and no link leads nowhere.
    expect(text).not.toMatch(/\bID\b|\bSITE\b|us-central1|\]\((?!https:)/);
    expect(text).toContain('acme');
  },
);

/** How a condition may write a number that its name has with this unit. */
const WRITTEN: Readonly<Record<string, (number: number) => readonly unknown[]>> = {
  '%': (number) => [number / 100],
  th: (number) => [number / 100],
  seconds: (number) => [number * 1_000],
  minutes: (number) => [`${number}m`, `${number * 60}s`],
  hours: (number) => [`${number}h`],
  days: (number) => [`${number}d`],
  // Half of one more, for an increase that is extrapolated.
  '': (number) => [number, number + 0.5],
};

test.each([...ALERTS].filter(([, { conditions }]) => !conditions[0]?.conditionMatchedLog))(
  'the conditions of %s are as their names say',
  (_, { conditions }) => {
    for (const { displayName, ...condition } of conditions) {
      const values: unknown[] = JSON.stringify(condition).match(/[\d.]+[smhd]?/g) ?? [];
      const named = displayName.matchAll(
        /([\d.,]+) ?(%|th|seconds|minutes|hours|days)|(?<=more than )(\d[\d.,]*)/g,
      );
      const checked = [...named].map(([words, number = '', unit = '', amount = number]) => {
        const possible = WRITTEN[unit]?.(Number(amount.replaceAll(',', '')));
        return [words, possible?.some((value) => values.includes(String(value)))];
      });
      expect(checked, displayName).not.toEqual([]);
      expect(checked).toEqual(checked.map(([words]) => [words, true]));
    }
  },
);

/** The PromQL of all files. */
const QUERIES: string[] = [];
for (const file of [...globSync('deploy/alerts/*.yaml'), 'deploy/dashboard.yaml']) {
  JSON.stringify(parse(readFileSync(file, 'utf8')), (name, value) => {
    if (/^(query|prometheusQuery)$/.test(name)) QUERIES.push(value);
    return value;
  });
}

test.each(QUERIES)('is PromQL: %s', (query) => {
  expect(() => parser.configure({ strict: true }).parse(query)).not.toThrow();
});

test('alerts and the dashboard use all metrics from the log, with labels that they have', () => {
  const seen = new Set<string>();
  for (const [selector, name = '', matched = ''] of QUERIES.join('\n').matchAll(
    /logging_googleapis_com:user_(\w+?)(?:_bucket|_sum)?\{(.*?)\}/gs,
  )) {
    seen.add(name);
    const labels = [...matched.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label);
    expect(['monitored_resource', ...(LABELS.get(name) ?? [])], selector).toEqual(
      expect.arrayContaining(labels),
    );
  }
  expect([...seen].sort()).toEqual([...LABELS.keys()].sort());
});

test('each label from a log line has the name of its field', () => {
  const texts = globSync('deploy/{alerts,logging}/*.yaml').map((file) =>
    readFileSync(file, 'utf8'),
  );
  const extracted = [...texts.join('\n').matchAll(/^ +(\w+): EXTRACT\(jsonPayload\.(\w+)\)/gm)];
  expect(extracted.length).toBeGreaterThan(10);
  for (const [, label, field] of extracted) expect(label).toBe(field);
});

test.each(globSync('deploy/alerts/*.yaml'))(
  '%s can be created before its metric has data',
  (file) => {
    const text = readFileSync(file, 'utf8');
    const queries = text.match(/^ +query:/gm)?.length;
    const unvalidated = text.match(/disableMetricValidation: true/g)?.length;
    expect(unvalidated).toBe(/logging_|job_completed/.test(text) ? queries : undefined);
  },
);
