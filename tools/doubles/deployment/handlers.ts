// Handles requests that do not concern one resource of the store, such as uploads, builds and Cloud Run's
// Kubernetes API.

import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { type Call, object, PROJECT_NUMBER, type Reply } from './resources.ts';
import { refusal, type Store } from './store.ts';

/** @param match the match of the request's method and address */
type Handler = (call: Call, match: RegExpExecArray, store: Store) => Reply;

const DONE = { name: 'operations/done', done: true, response: {} };
const hostingFiles = z.object({ files: z.record(z.string(), z.string()) });
const build = z.looseObject({ substitutions: z.object({ _IMAGE: z.string() }) });
const bucket = z.object({ name: z.string() });
const kubernetesObject = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const READY = { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] };

/** Requests whose response is always the same. */
const CONSTANT: [RegExp, unknown][] = [
  [/^GET firebase-public.firebaseio.com/, {}],
  [/^POST www.googleapis.com\/oauth2\/v3\/token$/, { access_token: 'ya29.new', expires_in: 3_600 }],
  [
    /^(?:POST cloudresourcemanager.\S+\/projects|POST firebase.\S+:addFirebase|GET \S+\/operations\/done)$/,
    DONE,
  ],
  [/^POST serviceusage.googleapis.com.*:batchEnable$/, DONE],
  [/^GET serviceusage.googleapis.com/, { state: 'ENABLED' }],
  [/:queryTestablePermissions$/, {}],
  [/^GET cloudbilling.\S+\/billingInfo$/, { billingEnabled: true }],
  [/^GET firebaseextensions./, { instances: [] }],
  [
    /:generateServiceIdentity$/,
    { ...DONE, response: { email: 'agent@gcp-sa.iam.gserviceaccount.com' } },
  ],
  [/^GET runtimeconfig./, { configs: [] }],
  [/^GET cloudfunctions.googleapis.com\/v1\//, { functions: [] }],
  [
    /^POST cloudfunctions.\S+:generateUploadUrl$/,
    {
      uploadUrl: 'https://storage.googleapis.com/gcf-v2-uploads/source.zip',
      storageSource: { bucket: 'gcf-v2-uploads', object: 'source.zip' },
    },
  ],
  // Google compiles rules to test them. The double has no compiler.
  [/^POST firebaserules.\S+:test$/, { issues: [] }],
  [/^GET \S+run.googleapis.com\/apis\/\S+\/revisions$/, { items: [], metadata: {} }],
];

/** The first match handles the request. */
export const HANDLERS: [RegExp, Handler][] = [
  ...CONSTANT.map(([pattern, body]): [RegExp, Handler] => [pattern, () => ({ body })]),
  [/^GET registry.npmjs.org/, () => refusal(404, 'NOT_FOUND', 'The double has no npm registry.')],
  [
    /^GET firebase.\S+\/adminSdkConfig$/,
    ({ path }) => ({ body: { projectId: path.split('/')[3] } }),
  ],
  [
    /^GET (?:firebase|cloudresourcemanager).googleapis.com\/v\d\w*\/projects\/([^/]+)$/,
    (_call, [, projectId]) => {
      const name = `projects/${projectId}`;
      return { body: { projectId, projectNumber: PROJECT_NUMBER, name, state: 'ACTIVE' } };
    },
  ],
  [
    /^PUT storage.googleapis.com\/gcf-v2-uploads\/(.*)$/,
    ({ body }, [, name = ''], store) => keep(store, name, body),
  ],
  [
    /^POST logging.googleapis.com\/v2\/entries:list$/,
    (_call, _match, { entries }) => ({ body: { entries } }),
  ],
  [
    // Created with the first function of the region.
    /^GET artifactregistry.\S+\/(projects\/\S+\/locations\/[^/]+)\/repositories\/gcf-artifacts$/,
    (_call, [, location = ''], store) => {
      const name = `${location}/repositories/gcf-artifacts`;
      if (!store.names('functions').some((one) => one.startsWith(`${location}/`))) {
        return refusal(404, 'NOT_FOUND', `Repository '${name}' was not found.`);
      }
      if (!store.resources.has(name)) store.put(name, { format: 'DOCKER' });
      return { body: store.resources.get(name) };
    },
  ],
  [
    /^POST secretmanager.\S+\/(projects\/[^/]+\/secrets\/[^/]+):addVersion$/,
    (_call, [, secret = ''], store) =>
      store.resources.has(secret)
        ? // gcloud fails unless Google confirms that it received the checksum.
          store.put(`${secret}/versions/1`, {
            state: 'ENABLED',
            clientSpecifiedPayloadChecksum: true,
          })
        : refusal(404, 'NOT_FOUND', `Secret [${secret}] not found or has no versions.`),
  ],
  [
    /^GET secretmanager.\S+\/(projects\/[^/]+\/secrets\/[^/]+)\/versions\/latest$/,
    (_call, [, secret], store) => ({ body: store.resources.get(`${secret}/versions/1`) }),
  ],

  // Hosting: a version lists its files by hash, and Hosting requests the missing ones.
  [
    /^POST firebasehosting.\S+\/(sites\/[^/]+\/versions\/[^/]+):populateFiles$/,
    ({ body }, [, version]) => {
      const uploadRequiredHashes = Object.values(hostingFiles.parse(body).files);
      const uploadUrl = `https://upload-firebasehosting.googleapis.com/upload/${version}`;
      return { body: { uploadRequiredHashes, uploadUrl } };
    },
  ],
  [
    /^POST upload-firebasehosting.\S+\/(\w+)$/,
    ({ body }, [, hash = ''], store) =>
      keep(store, hash, Buffer.isBuffer(body) ? gunzipSync(body) : body),
  ],

  // gcloud uploads the folder of a build to a bucket.
  [
    /^(GET|POST) storage.googleapis.com\/storage\/v1\/b(?:\/([^/]+))?$/,
    ({ method, body }, [, , name], store) => {
      if (method === 'POST') {
        const created = bucket.parse(body);
        store.resources.set(`b/${created.name}`, created);
        return { body: created };
      }
      const names = store.names('b').map((one) => one.slice(2));
      if (name === undefined) return { body: { items: names.map((id) => ({ id })) } };
      return names.includes(name)
        ? { body: { name } }
        : refusal(404, 'NOT_FOUND', `The bucket ${name} does not exist.`);
    },
  ],
  [
    /^POST storage.googleapis.com\/upload\//,
    ({ body }) => ({ body: { size: /"size": "(\d+)"/.exec(String(body))?.[1] } }),
  ],
  [
    /^POST cloudbuild.googleapis.com\/v1\/(.*)\/builds$/,
    ({ body }, _match, store) => {
      const built = { ...build.parse(body), id: '1', projectId: 'p', status: 'SUCCESS' };
      store.resources.set('builds/1', built);
      store.resources.set(`images/${built.substitutions._IMAGE}`, {});
      return { body: { name: 'operations/build', metadata: { build: built } } };
    },
  ],
  [
    /^GET cloudbuild.googleapis.com/,
    (_call, _match, store) => ({ body: store.resources.get('builds/1') }),
  ],

  [
    /^POST \S+run.googleapis.com\/apis\/\S+\/(namespaces\/[^/]+\/jobs)$/,
    ({ body }, [, parent], store) =>
      putReady(`${parent}/${kubernetesObject.parse(body).metadata.name}`, body, store),
  ],
  [
    /^(GET|PUT) (\S+)-run.googleapis.com\/apis\/\S+\/(namespaces\/[^/]+\/(?:jobs|services)\/[^/]+)$/,
    ({ method, body }, [, , region = '', name = ''], store) => {
      const resource = store.resources.get(name) ?? serviceOf(name, region, store);
      if (!resource) return refusal(404, 'NOT_FOUND', `Resource '${name}' was not found.`);
      return method === 'GET' ? { body: resource } : putReady(name, body, store);
    },
  ],
];

function keep(store: Store, name: string, body: unknown) {
  store.files.set(name, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
  return { body: {} };
}

function putReady(name: string, body: unknown, store: Store): Reply {
  const { metadata, ...rest } = kubernetesObject.parse(body);
  const status = { ...object.parse(rest['status'] ?? {}), ...READY };
  return store.put(name, { ...rest, metadata: { ...metadata, generation: 1 }, status });
}

/** The Cloud Run service that Cloud Functions creates for a function. */
function serviceOf(name: string, region: string, store: Store) {
  const [, namespace, , id = ''] = name.split('/');
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
