// Rules by which Cloud Monitoring refuses an alert. In a rule's `source`, "proto" stands for
// github.com/googleapis/googleapis, and "terraform" for github.com/hashicorp/terraform-provider-google.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Resource } from './collections.ts';
import { exists, missing, type Rule } from './rule.ts';

const seconds = z
  .string()
  .regex(/^\d+s$/)
  .transform(Number.parseFloat);
const aggregation = z.looseObject({ alignmentPeriod: seconds });
const threshold = z.looseObject({
  filter: z.string(),
  comparison: z.string(),
  duration: seconds,
  evaluationMissingData: z.string().optional(),
  aggregations: z.array(aggregation),
  denominatorAggregations: z.array(aggregation).optional(),
});
const policy = z.looseObject({
  conditions: z.array(
    z.looseObject({
      conditionThreshold: threshold.optional(),
      conditionMatchedLog: z.unknown().optional(),
    }),
  ),
  notificationChannels: z.array(z.string()).default([]),
  alertStrategy: z.looseObject({ notificationRateLimit: z.unknown() }).optional(),
});

const eachThreshold =
  (isWrong: (condition: z.infer<typeof threshold>) => boolean, message: string) =>
  (resource: Resource) =>
    policy.parse(resource).conditions.some(({ conditionThreshold: one }) => one && isWrong(one))
      ? message
      : undefined;

const ALERTS = /\/alertPolicies\//;

export const ALERT_RULES: readonly Rule[] = [
  {
    on: ALERTS,
    source:
      'proto monitoring/v3/alert.proto, MetricThreshold.evaluation_missing_data; terraform #16892',
    refuse: eachThreshold(
      ({ evaluationMissingData, duration }) => evaluationMissingData !== undefined && duration < 60,
      'Conditions setting evaluation_missing_data must have a non-zero duration.',
    ),
  },
  {
    on: ALERTS,
    source: 'proto monitoring/v3/alert.proto, MetricThreshold.duration: a multiple of a minute',
    refuse: eachThreshold(({ duration }) => duration % 60 !== 0, 'duration is not whole minutes.'),
  },
  {
    on: ALERTS,
    source: 'proto monitoring/v3/alert.proto, MetricThreshold.comparison',
    refuse: eachThreshold(
      ({ comparison }) => !/^COMPARISON_[LG]T$/.test(comparison),
      'Only COMPARISON_LT and COMPARISON_GT are supported.',
    ),
  },
  {
    on: ALERTS,
    source: 'proto monitoring/v3/common.proto, Aggregation.alignment_period: 60 s to 25 hours',
    refuse: eachThreshold(
      ({ aggregations }) =>
        aggregations.some(({ alignmentPeriod: period }) => period < 60 || period > 90_000),
      'alignment_period is out of range.',
    ),
  },
  {
    on: ALERTS,
    source:
      'proto monitoring/v3/alert.proto, MetricThreshold.denominator_aggregations: the same alignment period',
    refuse: eachThreshold(
      ({ aggregations, denominatorAggregations }) =>
        denominatorAggregations !== undefined &&
        !isDeepStrictEqual(aggregations, denominatorAggregations),
      'The aggregations of a ratio differ.',
    ),
  },
  {
    on: ALERTS,
    source:
      'proto monitoring/v3/alert.proto, AlertStrategy.notification_rate_limit and Condition.LogMatch',
    refuse: (resource) => {
      const { conditions, alertStrategy } = policy.parse(resource);
      const isOfLogs = conditions.some(({ conditionMatchedLog }) => conditionMatchedLog);
      const isLimited = alertStrategy?.notificationRateLimit !== undefined;
      return isOfLogs === isLimited && (!isOfLogs || conditions.length === 1)
        ? undefined
        : 'A log match must be the only condition, and only it may have a notification_rate_limit.';
    },
  },
  {
    on: ALERTS,
    source: 'terraform #11102: a log-based metric must exist before an alert on it',
    status: 404,
    refuse: (resource, store) => {
      const used = [
        ...JSON.stringify(resource).matchAll(/logging.googleapis.com\/user\/([\w-]+)/g),
      ];
      const unknown = used.find(([, metric = '']) => !exists(store, 'metrics', metric));
      return unknown && `Cannot find metric(s) that match type = "${unknown[0]}".`;
    },
  },
  {
    on: ALERTS,
    source: 'proto monitoring/v3/alert.proto, notification_channels: names of existing channels',
    status: 404,
    refuse: (resource, store) =>
      missing(
        policy.parse(resource).notificationChannels.find((name) => !store.resources.has(name)),
        'channel',
      ),
  },
];
