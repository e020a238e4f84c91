// Counts the lookups with each key, from the log-based metric in Cloud Monitoring, which knows no subject.

import { applicationDefault } from 'firebase-admin/app';
import * as z from 'zod';
import { DAY_MS } from '../../contract/endpoint.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { USE_DAYS } from '../../records/keyUse.ts';
import { Failure } from '../terminal/failure.ts';

/** A request that was refused because of its key. */
const REFUSED: ReadonlySet<string> = new Set<ErrorCode>([
  'unauthorized',
  'mode_not_allowed',
  'rate_limited',
]);

const FILTER =
  'metric.type="logging.googleapis.com/user/poh-lookups" AND resource.type="cloud_run_revision"';
const DEADLINE_MS = 30_000;

/** The documented reply (Monitoring API v3, projects.timeSeries.list). An empty one has no `timeSeries`. */
const replySchema = z.object({
  timeSeries: z
    .array(
      z.object({
        metric: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
        points: z.array(
          z.object({
            interval: z.object({ startTime: z.string() }),
            value: z.object({ int64Value: z.string() }),
          }),
        ),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});
type Series = z.infer<typeof replySchema>['timeSeries'];

/** With the length of the periods that it is divided into, which end with it. */
type Interval = readonly [startMs: number, endMs: number, periodMs: number];

/** The lookups of a key. Days are in UTC. */
interface Counted {
  lookups: number;
  refused: number;
  lastUsedOn: string | undefined;
}

/** @param nowMs the end of the figures @returns the figures of each key that was used, by its id */
export async function countUse(project: string, nowMs: number): Promise<Map<string, Counted>> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const intervals: Interval[] = [[today - (USE_DAYS - 1) * DAY_MS, today, DAY_MS]];
  // Cloud Monitoring has no shorter period than a minute.
  if (nowMs - today >= 60_000) intervals.push([today, nowMs, nowMs - today]);
  const { access_token: accessToken } = await applicationDefault().getAccessToken();
  const counted = new Map<string, Counted>();
  for (const interval of intervals) {
    for await (const series of readSeries(project, interval, accessToken)) add(counted, series);
  }
  return counted;
}

async function* readSeries(
  project: string,
  [startMs, endMs, periodMs]: Interval,
  accessToken: string,
): AsyncGenerator<Series> {
  const url = new URL(`https://monitoring.googleapis.com/v3/projects/${project}/timeSeries`);
  const query = new URLSearchParams({
    filter: FILTER,
    'interval.startTime': new Date(startMs).toISOString(),
    'interval.endTime': new Date(endMs).toISOString(),
    'aggregation.alignmentPeriod': `${Math.floor(periodMs / 1000)}s`,
    'aggregation.perSeriesAligner': 'ALIGN_DELTA',
    'aggregation.crossSeriesReducer': 'REDUCE_SUM',
  });
  for (const label of ['keyId', 'code']) {
    query.append('aggregation.groupByFields', `metric.labels.${label}`);
  }
  for (let token: string | undefined = ''; token !== undefined; ) {
    if (token !== '') query.set('pageToken', token);
    url.search = query.toString();
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${accessToken}` },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const reply = response.ok ? replySchema.safeParse(await response.json()).data : undefined;
    if (!reply) {
      throw new Failure(
        `Cloud Monitoring returned ${response.ok ? 'an unknown reply' : `status ${response.status}`}, so the use of keys ` +
          'is not known. The account needs the permission monitoring.timeSeries.list. Try again in a minute.',
      );
    }
    yield reply.timeSeries;
    token = reply.nextPageToken || undefined;
  }
}

function add(counted: Map<string, Counted>, series: Series): void {
  for (const { metric, points } of series) {
    // A key without a record has no id in the log.
    const { keyId = '', code = '' } = metric.labels;
    const key = counted.get(keyId) ?? { lookups: 0, refused: 0, lastUsedOn: undefined };
    for (const { interval, value } of points) {
      const count = Number(value.int64Value);
      const day = interval.startTime.slice(0, 10);
      key.lookups += count;
      if (REFUSED.has(code)) key.refused += count;
      if (count > 0 && day > (key.lastUsedOn ?? '')) key.lastUsedOn = day;
    }
    counted.set(keyId, key);
  }
}
