// One table of the resources that a deployment uses: how Google's REST API of each collection names, wraps and
// returns them, and the documented rules by which its server refuses them. Each rule names its source, where "proto" is
// github.com/googleapis/googleapis, and "terraform" is github.com/hashicorp/terraform-provider-google.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export interface Call {
  /** For example POST run.googleapis.com/v2/projects/p/locations/l/jobs, without the query. */
  readonly what: string;
  readonly method: string;
  readonly host: string;
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

/** What rules can look up. */
export interface Project {
  readonly resources: ReadonlyMap<string, Resource>;
  /** The IAM policies by the name of their resource. */
  readonly policies: ReadonlyMap<string, z.infer<typeof iamPolicy>>;
  names(collection: string): string[];
}

/** @returns why the server refuses the resource, in its own words if they are known */
type Rule = (resource: Resource, project: Project, name: string) => string | undefined;

export interface Collection {
  /** The key of the array in a list; the collection's name by default. */
  readonly list?: string;
  /** Reads the id from a request to create a resource; by default the server chooses one. */
  readonly id?: (call: Call, body: Resource) => unknown;
  /** Reads the resource from the body; the whole body by default. */
  readonly resource?: (body: Resource) => unknown;
  /** Adds the fields that the server sets. */
  readonly complete?: (name: string, resource: Resource) => Resource;
  /** Hides what the server does not return. */
  readonly shown?: (resource: Resource) => Resource;
  /** The methods that return an operation instead of the resource. */
  readonly operation?: 'create' | 'create and update';
  /** Whether an update without a mask replaces the whole resource. */
  readonly replaced?: true;
  /** Whether `name` is only the id. */
  readonly shortName?: true;
  readonly rule?: Rule;
}

export const PROJECT_NUMBER = '123456789012';
/** Cloud Functions builds with this account, and by default functions run as it. */
export const DEFAULT_ACCOUNT = `${PROJECT_NUMBER}-compute@developer.gserviceaccount.com`;

const lastOf = (name: unknown) => String(name).split('/').at(-1) ?? '';
const inQuery = (name: string) => (call: Call) => call.query.get(name);
const ofName = (_call: Call, { name }: Resource) => lastOf(name);
const exists = (project: Project, collection: string, id: string): boolean =>
  project.names(collection).some((name) => lastOf(name) === id);
/** The first match of the pattern's group in the resource's JSON. */
const within = (resource: Resource, pattern: RegExp) => pattern.exec(JSON.stringify(resource))?.[1];

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

const alertRule: Rule = (resource, project) => {
  const { error, data } = alertPolicy.safeParse(resource);
  if (error) return z.prettifyError(error);
  const channel = data.notificationChannels.find((name) => !project.resources.has(name));
  if (channel) return `The channel ${channel} does not exist.`;
  // terraform #11102: a log-based metric must exist before an alert on it.
  const used = JSON.stringify(resource).matchAll(/logging.googleapis.com\/user\/([\w-]+)/g);
  const unknown = [...used].find(([, metric = '']) => !exists(project, 'metrics', metric));
  return unknown && `Cannot find metric(s) that match type = "${unknown[0]}".`;
};

/** proto firestore/admin/v1/firestore_admin.proto, CreateBackupSchedule: one daily, one weekly. */
const backupRule: Rule = ({ dailyRecurrence }, project, name) => {
  const others = project.names('backupSchedules').filter((one) => one !== name);
  return dailyRecurrence && others.some((one) => project.resources.get(one)?.['dailyRecurrence'])
    ? 'The database already has a daily backup schedule.'
    : undefined;
};

/**
 * What a job of Cloud Run names must exist (cloud.google.com/run/docs/configuring/jobs/secrets and
 * service-identity, docs/troubleshooting). Jobs of Cloud Scheduler have no image.
 */
const jobRule: Rule = (resource, project) => {
  const image = within(resource, /"image":"([^"]*)"/);
  if (image === undefined) return undefined;
  const account = within(resource, /"serviceAccountName":"([^"]*)"/) ?? 'default';
  const secret = within(resource, /"secretKeyRef":\{"key":"latest","name":"([^"]*)"/);
  if (!project.resources.has(`images/${image}`)) return `The image ${image} does not exist.`;
  if (!exists(project, 'serviceAccounts', account)) return `${account} does not exist.`;
  return secret === undefined || exists(project, 'secrets', secret)
    ? undefined
    : `The secret ${secret} does not exist.`;
};

/**
 * cloud.google.com/functions/docs/reference/rest/v2 ServiceConfig.serviceAccountEmail, and
 * docs/troubleshooting#build-service-account. Organisations created since May 2024 grant the role to nobody.
 */
const functionRule: Rule = (resource, project, name) => {
  const bindings = project.policies.get(name.split('/', 2).join('/'))?.bindings ?? [];
  const builders = bindings.find(({ role }) => role === 'roles/cloudbuild.builds.builder');
  if (!builders?.members.includes(`serviceAccount:${DEFAULT_ACCOUNT}`)) {
    return 'Could not build the function due to a missing permission on the build service account.';
  }
  const email = within(resource, /"serviceAccountEmail":"([^"]*)"/);
  return email && wrongMember(`serviceAccount:${email}`, project);
};

/** @returns why IAM refuses the member: its account or pool does not exist (cloud.google.com/iam/docs/principal-identifiers) */
export function wrongMember(member: string, project: Project): string | undefined {
  if (member === 'allUsers') return undefined;
  const [, pool] =
    /^principalSet:.*\/workloadIdentityPools\/([\w-]+)\/attribute\./.exec(member) ?? [];
  if (pool && exists(project, 'workloadIdentityPools', pool)) return undefined;
  const [, email] = /^serviceAccount:([\w-]+@[\w.-]+\.gserviceaccount\.com)$/.exec(member) ?? [];
  if (email === undefined) return `Invalid service account (${member}).`;
  const isOurs = email.endsWith('.iam.gserviceaccount.com');
  return isOurs && !exists(project, 'serviceAccounts', email)
    ? `Service account ${email} does not exist.`
    : undefined;
}

/** Cloud Monitoring encrypts masked headers, and returns stars (proto monitoring/v3/uptime.proto, mask_headers). */
function withMaskedHeaders(resource: Resource): Resource {
  const check = object.parse(resource['httpCheck']);
  if (!check['maskHeaders']) return resource;
  const names = Object.keys(object.parse(check['headers'] ?? {}));
  const headers = Object.fromEntries(names.map((name) => [name, '******']));
  return { ...resource, httpCheck: { ...check, headers } };
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

export const COLLECTIONS: Record<string, Collection> = {
  alertPolicies: { replaced: true, rule: alertRule },
  backupSchedules: { rule: backupRule },
  databases: { id: inQuery('databaseId'), operation: 'create and update' },
  functions: {
    id: inQuery('functionId'),
    operation: 'create and update',
    complete: builtFunction,
    rule: functionRule,
  },
  jobs: { id: ofName, rule: jobRule },
  metrics: { id: ofName, shortName: true },
  providers: { id: inQuery('workloadIdentityPoolProviderId'), operation: 'create' },
  // The client names releases of rules, but the server names releases of Hosting.
  releases: {
    id: (call, body) => body['name'] && ofName(call, body),
    resource: (body) => body['release'] ?? body,
  },
  repositories: { id: inQuery('repositoryId'), operation: 'create' },
  roles: { id: (_call, { roleId }) => roleId, resource: ({ role }) => role },
  secrets: { id: inQuery('secretId') },
  serviceAccounts: {
    list: 'accounts',
    id: ({ path }, { accountId }) => `${accountId}@${path.split('/')[3]}.iam.gserviceaccount.com`,
    resource: ({ serviceAccount }) => serviceAccount,
    complete: (name, resource) => ({ ...resource, email: lastOf(name) }),
  },
  sinks: { id: ofName, shortName: true },
  sites: {
    id: inQuery('siteId'),
    complete: (name, resource) => ({
      type: 'USER_SITE',
      ...resource,
      defaultUrl: `https://${lastOf(name)}.web.app`,
    }),
  },
  uptimeCheckConfigs: { replaced: true, shown: withMaskedHeaders },
  webApps: { list: 'apps', operation: 'create' },
  workloadIdentityPools: { id: inQuery('workloadIdentityPoolId'), operation: 'create' },
};
