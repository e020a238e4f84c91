// The deployed function as Cloud Run has it: where its traffic goes, and what its log says.

import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { DAY_MS, ENDPOINT_NAME } from '../contract/endpoint.ts';
import type { Google } from './google.ts';

export const SERVICE = ENDPOINT_NAME.toLowerCase();
const lastOf = (path = ''): string => path.split('/').at(-1) ?? '';

const target = z.object({
  type: z.string().optional(),
  revision: z.string().optional().transform(lastOf),
  percent: z.number().default(0),
  tag: z.string().optional(),
  uri: z.string().optional(),
});
/** The latest revision, the one with the most traffic, and those that have traffic by name. */
const serviceSchema = z
  .object({
    latestCreatedRevision: z.string().transform(lastOf),
    trafficStatuses: z.array(target).default([]),
  })
  .transform(({ latestCreatedRevision: latest, trafficStatuses }) => {
    // Google may leave out the name of the latest one.
    const targets = trafficStatuses.map((one) => ({ ...one, revision: one.revision || latest }));
    const serving = targets.toSorted((a, b) => b.percent - a.percent)[0]?.revision ?? latest;
    const pinned = targets.filter(
      ({ type, percent }) => percent > 0 && type === 'TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION',
    );
    return { latest, serving, pinned, trial: targets.find(({ tag }) => tag === 'trial') };
  });

/** The function, if there is one, and where its traffic goes. */
export async function readService(google: Google, region: string) {
  const found = await google.readIfThere(`run/v2/locations/${region}/services/${SERVICE}`);
  return found && serviceSchema.parse(found);
}

/** As `readService`. @throws Failure if there is none */
export async function existingService(google: Google, region: string) {
  const service = await readService(google, region);
  if (service) return service;
  throw new Failure('There is no function yet. Run `npm run deploy` first.');
}

/** Moves traffic. */
export async function sendTraffic(
  google: Google,
  region: string,
  ...options: readonly string[]
): Promise<void> {
  const words = ['run', 'services', 'update-traffic', SERVICE, '--region', region];
  await google.patiently(() => google.gcloud(...words, ...options));
}

const logSchema = z.array(
  z.object({
    timestamp: z.string(),
    resource: z.object({ labels: z.record(z.string(), z.string()) }),
    jsonPayload: z.record(z.string(), z.unknown()),
  }),
);
export const MONTH_MS = 30 * DAY_MS;
export const LOOKUPS = 'jsonPayload.message="lookup"';
export const ofRevision = (name: string): string => `resource.labels.revision_name="${name}"`;

/** The newest lines of the project's log. */
export async function readLog(google: Google, filter: string, ms: number, pageSize = 1) {
  const since = new Date(Date.now() - ms).toISOString();
  const reply = await google.request('POST', 'https://logging.googleapis.com/v2/entries:list', {
    resourceNames: [`projects/${google.project}`],
    filter: `${filter} AND timestamp>="${since}"`,
    orderBy: 'timestamp desc',
    pageSize,
  });
  return logSchema.parse(reply?.['entries'] ?? []);
}
