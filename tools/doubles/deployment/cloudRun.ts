// Cloud Run's jobs and services in its Kubernetes API, which gcloud uses.

import * as z from 'zod';
import { object, type Resource } from './collections.ts';
import type { Handler } from './handler.ts';
import type { Reply } from './proxy.ts';
import { refusal, type Store } from './store.ts';

const kubernetesObject = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const READY = { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] };

function put(name: string, body: unknown, store: Store): Reply {
  const { metadata, ...rest } = kubernetesObject.parse(body);
  const status = { ...object.parse(rest['status'] ?? {}), ...READY };
  return store.put(name, { ...rest, metadata: { ...metadata, generation: 1 }, status });
}

/** The Cloud Run service that Cloud Functions creates for a function. */
function serviceOf(name: string, host: string, store: Store): Resource | undefined {
  const [, namespace, , id = ''] = name.split('/');
  const region = host.replace('-run.googleapis.com', '');
  const isFunction = store
    .names('functions')
    .some((one) => one.includes(`/${region}/`) && one.toLowerCase().endsWith(`/${id}`));
  if (!isFunction) return undefined;
  const revision = `${id}-00001-abc`;
  const traffic = [{ latestRevision: true, percent: 100, revisionName: revision }];
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: id, namespace, labels: { 'cloud.googleapis.com/location': region } },
    spec: { template: { spec: { containers: [{ image: 'x' }] } }, traffic },
    status: { ...READY, latestReadyRevisionName: revision, traffic, url: 'https://x.a.run.app' },
  };
}

export const CLOUD_RUN_HANDLERS: [RegExp, Handler][] = [
  [
    /^GET \S+run.googleapis.com\/apis\/\S+\/revisions$/,
    () => ({ body: { items: [], metadata: {} } }),
  ],
  [
    /^POST \S+run.googleapis.com\/apis\/\S+\/(namespaces\/[^/]+\/jobs)$/,
    ({ body }, [, parent], store) =>
      put(`${parent}/${kubernetesObject.parse(body).metadata.name}`, body, store),
  ],
  [
    /^(GET|PUT) (\S+run.googleapis.com)\/apis\/\S+\/(namespaces\/[^/]+\/(?:jobs|services)\/[^/]+)$/,
    ({ method, body }, [, , host = '', name = ''], store) => {
      const resource = store.resources.get(name) ?? serviceOf(name, host, store);
      if (!resource) return refusal(404, 'NOT_FOUND', `Resource '${name}' was not found.`);
      return method === 'GET' ? { body: resource } : put(name, body, store);
    },
  ],
];
