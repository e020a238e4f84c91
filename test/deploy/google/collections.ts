// Where Google's REST APIs differ in how they name, wrap and return the resources of a collection.

import * as z from 'zod';
import type { Call } from './proxy.ts';

export type Resource = Record<string, unknown>;
export const object = z.record(z.string(), z.unknown());

export interface Collection {
  /** The key of the array in a list; left out: the collection's own name. */
  readonly list?: string;
  /** Where a creation names the id; left out: the server chooses one. */
  readonly id?: (call: Call, body: Resource) => unknown;
  /** What of the body is the resource; left out: all of it. */
  readonly resource?: (body: Resource) => unknown;
  /** What the server adds. */
  readonly made?: (name: string, resource: Resource) => Resource;
  /** What returns an operation in place of the resource. */
  readonly operation?: 'create' | 'create and update';
  /** An update without a mask replaces all of the resource. */
  readonly replaced?: true;
  /** `name` is the id alone. */
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
    made: (name, resource) => ({ ...resource, email: name.split('/').at(-1) }),
  },
  roles: { id: (_call, { roleId }) => roleId, resource: ({ role }) => role },
  sinks: { id: ofName, shortName: true },
  metrics: { id: ofName, shortName: true },
  repositories: { id: inQuery('repositoryId'), operation: 'create' },
  jobs: { id: ofName },
  alertPolicies: { replaced: true },
  secrets: { id: inQuery('secretId') },
  functions: { id: inQuery('functionId'), operation: 'create and update', made: builtFunction },
  sites: {
    id: inQuery('siteId'),
    made: (name, resource) => ({
      type: 'USER_SITE',
      ...resource,
      defaultUrl: `https://${name.split('/').at(-1)}.web.app`,
    }),
  },
  webApps: { list: 'apps', operation: 'create' },
  // The rules' by name, Hosting's by the server.
  releases: {
    id: (call, body) => body['name'] && ofName(call, body),
    resource: (body) => body['release'] ?? body,
  },
};

/** What Cloud Functions adds to a function once it is built. */
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
