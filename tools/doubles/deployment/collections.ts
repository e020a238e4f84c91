// How Google's REST APIs differ in naming, wrapping and returning the resources of a collection.

import * as z from 'zod';
import type { Call } from './proxy.ts';

export type Resource = Record<string, unknown>;
export const object = z.record(z.string(), z.unknown());

/** An IAM policy. */
export const policy = z.looseObject({
  bindings: z.array(z.looseObject({ role: z.string(), members: z.array(z.string()) })).default([]),
});
export type Policy = z.infer<typeof policy>;

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
}

const inQuery = (name: string) => (call: Call) => call.query.get(name);
const ofName = (_call: Call, { name }: Resource) => String(name).split('/').at(-1);

export const COLLECTIONS: Record<string, Collection> = {
  databases: { id: inQuery('databaseId'), operation: 'create and update' },
  serviceAccounts: {
    list: 'accounts',
    id: ({ path }, { accountId }) => `${accountId}@${path.split('/')[3]}.iam.gserviceaccount.com`,
    resource: ({ serviceAccount }) => serviceAccount,
    complete: (name, resource) => ({ ...resource, email: name.split('/').at(-1) }),
  },
  roles: { id: (_call, { roleId }) => roleId, resource: ({ role }) => role },
  sinks: { id: ofName, shortName: true },
  metrics: { id: ofName, shortName: true },
  repositories: { id: inQuery('repositoryId'), operation: 'create' },
  jobs: { id: ofName },
  alertPolicies: { replaced: true },
  uptimeCheckConfigs: { replaced: true, shown: withMaskedHeaders },
  secrets: { id: inQuery('secretId') },
  functions: { id: inQuery('functionId'), operation: 'create and update', complete: builtFunction },
  sites: {
    id: inQuery('siteId'),
    complete: (name, resource) => ({
      type: 'USER_SITE',
      ...resource,
      defaultUrl: `https://${name.split('/').at(-1)}.web.app`,
    }),
  },
  workloadIdentityPools: { id: inQuery('workloadIdentityPoolId'), operation: 'create' },
  providers: { id: inQuery('workloadIdentityPoolProviderId'), operation: 'create' },
  webApps: { list: 'apps', operation: 'create' },
  // The client names releases of rules, but the server names releases of Hosting.
  releases: {
    id: (call, body) => body['name'] && ofName(call, body),
    resource: (body) => body['release'] ?? body,
  },
};

/** The fields that Cloud Functions adds to a built function. */
function builtFunction(name: string, resource: Resource): Resource {
  const [, project, , region, , id = ''] = name.split('/');
  const service = `projects/${project}/locations/${region}/services/${id.toLowerCase()}`;
  const serviceConfig = object.parse(resource['serviceConfig']);
  return {
    ...resource,
    state: 'ACTIVE',
    environment: 'GEN_2',
    url: `https://${region}-${project}.cloudfunctions.net/${id}`,
    serviceConfig: { ...serviceConfig, service, uri: 'https://x.a.run.app' },
  };
}

/** Cloud Monitoring encrypts masked headers, and returns stars (proto monitoring/v3/uptime.proto, mask_headers). */
function withMaskedHeaders(resource: Resource): Resource {
  const check = object.parse(resource['httpCheck']);
  if (!check['maskHeaders']) return resource;
  const names = Object.keys(object.parse(check['headers']));
  const headers = Object.fromEntries(names.map((name) => [name, '******']));
  return { ...resource, httpCheck: { ...check, headers } };
}
