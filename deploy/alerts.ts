// The alerts as Google stores them: the policies in alerts/, with the project's values, and with a link to the query and
// the entry of the runbook as the text of the mail.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** What an alert needs to know of the project. `site` is the host of the pages. */
export const placeSchema = z.object({ project: z.string(), region: z.string(), site: z.string() });
export type Place = z.infer<typeof placeSchema>;

interface Threshold {
  readonly filter: string;
  readonly aggregations: readonly [
    {
      readonly alignmentPeriod: string;
      readonly perSeriesAligner: 'ALIGN_NEXT_OLDER' | 'ALIGN_DELTA';
      readonly crossSeriesReducer: 'REDUCE_COUNT_FALSE' | 'REDUCE_SUM';
      readonly groupByFields?: readonly string[];
    },
  ];
  readonly comparison: 'COMPARISON_GT';
  readonly thresholdValue: number;
  readonly duration: string;
}

export interface Condition {
  readonly displayName: string;
  readonly conditionMatchedLog?: { readonly filter: string };
  readonly conditionPrometheusQueryLanguage?: {
    readonly query: string;
    readonly duration?: string;
  };
  readonly conditionThreshold?: Threshold;
}

/** A policy of Cloud Monitoring, with the fields that are read here. */
export interface Alert {
  readonly combiner: 'OR';
  readonly displayName: string;
  readonly conditions: readonly Condition[];
  readonly alertStrategy?: { readonly notificationRateLimit: { readonly period: string } };
  readonly documentation: { readonly mimeType: string; readonly content: string };
}

const FOLDER = import.meta.dirname;

/** @returns the policy in a file of alerts/ */
export function readAlert(file: string, place: Place): Alert {
  const policy: Omit<Alert, 'combiner' | 'documentation'> = parse(
    placed(readFileSync(join(FOLDER, file), 'utf8'), place),
  );
  const runbook = readFileSync(join(FOLDER, '../docs/runbook.md'), 'utf8');
  const [, entry = ''] = runbook.split(`\n### ${basename(file, '.yaml')}\n`);
  const [text = ''] = entry.split(/\n##+ /);
  const links = policy.conditions.map((each) => `- [${each.displayName}](${linkTo(each, place)})`);
  const content = `${links.join('\n')}\n\n${placed(mailText(text), place)}`;
  return { ...policy, combiner: 'OR', documentation: { mimeType: 'text/markdown', content } };
}

/** All policies by the names of their files. */
export const readAlerts = (place: Place): Map<string, Alert> =>
  new Map(
    globSync('alerts/*.yaml', { cwd: FOLDER })
      .sort()
      .map((file) => [basename(file, '.yaml'), readAlert(file, place)]),
  );

const placed = (text: string, { project, region, site }: Place): string =>
  text
    .replaceAll(/\bID\b/g, project)
    .replaceAll(/\bSITE\b/g, site)
    .replaceAll('us-central1', region);

/** The mail's Markdown has no tables, and its relative links would lead nowhere. */
const mailText = (entry: string): string =>
  entry
    .trim()
    .replaceAll(/^\| ---.*\n/gm, '')
    .replaceAll(/^\| (.*?) \| (.*) \|$/gm, '- $1: $2')
    .replaceAll(
      /\[([^\]]+)\]\((?!https:)(?:(\w+\.md))?(#[\w-]+)?\)/g,
      (_, text, file, anchor = '') =>
        `${text} (docs/${file ?? 'runbook.md'}${anchor})`.replaceAll('\n', ' '),
    );

/** The page of Google's console that shows what the condition reads. */
function linkTo(condition: Condition, { project }: Place): string {
  const { conditionMatchedLog, conditionPrometheusQueryLanguage, conditionThreshold } = condition;
  const console = 'https://console.cloud.google.com';
  if (conditionMatchedLog) {
    const query = encoded(conditionMatchedLog.filter);
    return `${console}/logs/query;query=${query};duration=P1D?project=${project}`;
  }
  const [aggregation] = conditionThreshold?.aggregations ?? [];
  const data = conditionPrometheusQueryLanguage
    ? { prometheusQuery: conditionPrometheusQueryLanguage.query }
    : { timeSeriesFilter: { filter: conditionThreshold?.filter, ...aggregation } };
  const state = encoded(JSON.stringify({ xyChart: { dataSets: [{ plotType: 'LINE', ...data }] } }));
  return `${console}/monitoring/metrics-explorer?project=${project}&pageState=${state}`;
}

/** In Markdown, a parenthesis would end the link. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll('(', '%28').replaceAll(')', '%29');
