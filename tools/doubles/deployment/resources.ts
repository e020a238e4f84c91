// One table of the resources that a deployment uses: how Google's REST API of each collection names, wraps and
// returns them, and the documented rules by which its server refuses them. Each rule names its source, where "proto" is
// github.com/googleapis/googleapis, and "terraform" is github.com/hashicorp/terraform-provider-google.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export interface Call {
  /** For example POST run.googleapis.com/v2/projects/p/locations/l/jobs, without the query. */
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed body if it is JSON, otherwise its bytes. */
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

export type Resource = Record<string, unknown>;
export const object = z.record(z.string(), z.unknown());

export const iamPolicy = z.looseObject({
  bindings: z.array(z.looseObject({ role: z.string(), members: z.array(z.string()) })).default([]),
});

export interface Collection {
  /** The key of the array in a list; the collection's name by default. */
  readonly list?: string;
  /** Reads the id from the body of a request, if it is neither in the query nor the end of the resource's name. */
  readonly id?: (call: Call, body: Resource) => string;
  /** Reads the resource from the body; the whole body by default. */
  readonly resource?: (body: Resource) => unknown;
  /** Adds the fields that the server sets. */
  readonly complete?: (name: string, resource: Resource) => Resource;
  /** The resources that the server creates with it, by name. */
  readonly alongside?: (name: string) => Readonly<Record<string, Resource>>;
  /** The methods that return an operation instead of the resource. */
  readonly operation?: 'create' | 'create and update';
  /** Whether an update without a mask replaces the whole resource. */
  readonly replaced?: true;
  /** Whether `name` is only the id. */
  readonly shortName?: true;
  /** The documented rules of the server. */
  readonly schema?: z.ZodType;
}

export const PROJECT_NUMBER = '123456789012';
/** Cloud Functions builds with this account. */
export const DEFAULT_ACCOUNT = `${PROJECT_NUMBER}-compute@developer.gserviceaccount.com`;

/** The state of a ready resource in the Kubernetes API of Cloud Run. */
export const READY = {
  observedGeneration: 1,
  conditions: [{ type: 'Ready', status: 'True' }],
};

export const lastOf = (name: unknown) => String(name).split('/').at(-1) ?? '';

const seconds = z
  .string()
  .regex(/^\d+s$/)
  .transform(Number.parseFloat);
// common.proto, Aggregation.alignment_period: 60 s to 25 hours.
const aggregations = z.array(
  z.looseObject({ alignmentPeriod: seconds.pipe(z.number().min(60).max(90_000)) }),
);
/** proto monitoring/v3/alert.proto, MetricThreshold. */
const threshold = z
  .looseObject({
    comparison: z.enum(['COMPARISON_LT', 'COMPARISON_GT']),
    duration: seconds.pipe(z.number().multipleOf(60)),
    evaluationMissingData: z.string().optional(),
    aggregations,
    denominatorAggregations: aggregations.optional(),
  })
  // Also terraform #16892.
  .refine(
    ({ evaluationMissingData, duration }) => !evaluationMissingData || duration > 0,
    'Conditions setting evaluation_missing_data must have a non-zero duration.',
  )
  .refine(
    ({ aggregations: one, denominatorAggregations: other }) =>
      !other || isDeepStrictEqual(one, other),
    'The aggregations of a ratio differ.',
  );
/** proto monitoring/v3/alert.proto, AlertPolicy. */
const alertPolicy = z
  .looseObject({
    conditions: z.array(
      z.looseObject({
        conditionThreshold: threshold.optional(),
        conditionMatchedLog: z.unknown().optional(),
      }),
    ),
    notificationChannels: z.array(z.string()).default([]),
    alertStrategy: z.looseObject({ notificationRateLimit: z.unknown() }).optional(),
  })
  .refine(({ conditions, alertStrategy }) => {
    const isOfLogs = conditions.some(({ conditionMatchedLog }) => conditionMatchedLog);
    const isLimited = alertStrategy?.notificationRateLimit !== undefined;
    return isOfLogs === isLimited && (!isOfLogs || conditions.length === 1);
  }, 'A log match must be the only condition, and only it may have a notification_rate_limit.');

/** What a resource or a policy names must exist in these collections. */
const REFERENCES: [RegExp, string][] = [
  // cloud.google.com/iam/docs/principal-identifiers, cloud.google.com/run/docs/troubleshooting
  [/([\w-]+@[\w-]+\.iam\.gserviceaccount\.com)/g, 'serviceAccounts'],
  [/workloadIdentityPools\/([\w-]+)/g, 'workloadIdentityPools'],
  [/"image":"[^"]*\/([^"/]+)"/g, 'images'],
  [/"secretKeyRef":\{"key":"latest","name":"([^"]*)"/g, 'secrets'],
  [/notificationChannels\/([\w-]+)/g, 'notificationChannels'],
  // terraform #11102: a log-based metric must exist before an alert on it.
  [/logging\.googleapis\.com\/user\/([\w-]+)/g, 'metrics'],
];

/** @returns why the server refuses the content */
export function missingIn(content: unknown, names: (collection: string) => string[]) {
  const json = JSON.stringify(content);
  const missing = REFERENCES.flatMap(([pattern, collection]) =>
    [...json.matchAll(pattern)]
      .map(([, id = '']) => id)
      .filter((id) => !names(collection).some((name) => lastOf(name) === id))
      .map((id) => `${id} does not exist in ${collection}.`),
  );
  return missing[0];
}

/** The fields that Cloud Functions adds to a built function. */
function builtFunction(name: string, resource: Resource): Resource {
  const [, project, , region, , id = ''] = name.split('/');
  const service = `projects/${project}/locations/${region}/services/${id.toLowerCase()}`;
  return {
    ...resource,
    state: 'ACTIVE',
    environment: 'GEN_2',
    url: `https://${region}-${project}.cloudfunctions.net/${id}`,
    serviceConfig: {
      ...object.parse(resource['serviceConfig']),
      service,
      uri: 'https://x.a.run.app',
    },
  };
}

/** The repository for images, and the service of Cloud Run, which Cloud Functions creates for a function. */
function alongsideFunction(name: string): Readonly<Record<string, Resource>> {
  const [, namespace = '', , region = '', , id = ''] = name.split('/');
  const service = id.toLowerCase();
  const revision = `${service}-00001-abc`;
  const traffic = [{ latestRevision: true, percent: 100, revisionName: revision }];
  return {
    [`projects/${namespace}/locations/${region}/repositories/gcf-artifacts`]: { format: 'DOCKER' },
    [`namespaces/${namespace}/services/${service}`]: {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: {
        name: service,
        namespace,
        labels: { 'cloud.googleapis.com/location': region },
      },
      spec: { template: { spec: { containers: [{ image: 'x' }] } }, traffic },
      status: {
        ...READY,
        latestReadyRevisionName: revision,
        traffic,
        url: 'https://x.a.run.app',
      },
    },
  };
}

export const COLLECTIONS: Record<string, Collection> = {
  alertPolicies: { replaced: true, schema: alertPolicy },
  databases: { operation: 'create and update' },
  functions: {
    operation: 'create and update',
    complete: builtFunction,
    alongside: alongsideFunction,
  },
  metrics: { shortName: true },
  providers: { operation: 'create' },
  releases: { resource: (body) => body['release'] ?? body },
  repositories: { operation: 'create' },
  roles: { id: (_call, { roleId }) => String(roleId), resource: ({ role }) => role },
  serviceAccounts: {
    list: 'accounts',
    id: ({ path }, { accountId }) => `${accountId}@${path.split('/')[3]}.iam.gserviceaccount.com`,
    resource: ({ serviceAccount }) => serviceAccount,
    complete: (name, resource) => ({ ...resource, email: lastOf(name) }),
  },
  sinks: { shortName: true },
  sites: {
    complete: (name, resource) => ({
      type: 'USER_SITE',
      ...resource,
      defaultUrl: `https://${lastOf(name)}.web.app`,
    }),
  },
  uptimeCheckConfigs: { replaced: true },
  webApps: { list: 'apps', operation: 'create' },
  workloadIdentityPools: { operation: 'create' },
};
