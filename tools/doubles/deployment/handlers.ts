// Handles requests that do not concern one resource of the store, such as uploads, builds and Cloud Run's
// Kubernetes API.

import * as z from 'zod';
import { type Call, lastOf, object, PROJECT_NUMBER, READY, type Reply } from './resources.ts';
import { refusal, type Store } from './store.ts';

/** @param match the match of the request's method and address */
type Handler = (call: Call, match: RegExpExecArray, store: Store) => Reply;

const hostingFiles = z.object({ files: z.record(z.string(), z.string()) });
const build = z.looseObject({ substitutions: z.object({ _IMAGE: z.string() }) });
const kubernetesObject = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

/** The reply to requests that the double does not model. It has every field that gcloud and firebase-tools read. */
export const GENERIC = {
  name: 'operations/done',
  done: true,
  response: { email: 'agent@gcp-sa.iam.gserviceaccount.com' },
  access_token: 'ya29.new',
  expires_in: 3_600,
  state: 'ENABLED',
  billingEnabled: true,
  functions: [],
  // Google compiles rules to test them. The double has no compiler.
  issues: [],
  items: [],
  metadata: {},
  uploadUrl: 'https://storage.googleapis.com/gcf-v2-uploads/source.zip',
  storageSource: { bucket: 'gcf-v2-uploads', object: 'source.zip' },
};

/** The first match handles the request. */
export const HANDLERS: [RegExp, Handler][] = [
  [
    // These addresses look like those of resources.
    /^GET serviceusage|^GET cloudfunctions\S+\/v1\/|\/billingInfo$|\/operations\/done$|^POST cloudresourcemanager\S+\/projects$/,
    () => ({ body: GENERIC }),
  ],
  [/^GET registry.npmjs.org/, () => refusal(404, 'NOT_FOUND', 'The double has no npm registry.')],
  [
    /^GET (?:firebase|cloudresourcemanager).googleapis.com\/v\d\w*\/projects\/([^/]+)(?:\/adminSdkConfig)?$/,
    (_call, [, projectId]) => {
      const name = `projects/${projectId}`;
      return { body: { projectId, projectNumber: PROJECT_NUMBER, name, state: 'ACTIVE' } };
    },
  ],
  [
    /^PUT storage.googleapis.com\/gcf-v2-uploads\/(.*)$/,
    ({ body }, [, name = ''], store) => {
      if (Buffer.isBuffer(body)) store.files.set(name, body);
      return { body: {} };
    },
  ],
  [
    /^POST logging.googleapis.com\/v2\/entries:list$/,
    (_call, _match, { entries }) => ({ body: { entries } }),
  ],
  [
    /^POST secretmanager.\S+\/(projects\/[^/]+\/secrets\/[^/]+):addVersion$/,
    (_call, [, secret], store) => store.put(`${secret}/versions/latest`, { state: 'ENABLED' }),
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

  // gcloud uploads the folder of a build to a bucket.
  [
    /^(GET|POST) storage.googleapis.com\/storage\/v1\/b(?:\/([^/]+))?$/,
    ({ body, query }, [, method, name]) => {
      if (method === 'POST') return { body };
      return { body: name ? { name } : { items: [{ id: `${query.get('project')}_cloudbuild` }] } };
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
      store.resources.set(`images/${lastOf(built.substitutions._IMAGE)}`, {});
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
    /^(GET|PUT) \S+-run.googleapis.com\/apis\/\S+\/(namespaces\/[^/]+\/(?:jobs|services)\/[^/]+)$/,
    ({ method, body }, [, , name = ''], store) => {
      const resource = store.resources.get(name);
      if (!resource) return refusal(404, 'NOT_FOUND', `Resource '${name}' was not found.`);
      return method === 'GET' ? { body: resource } : putReady(name, body, store);
    },
  ],
];

function putReady(name: string, body: unknown, store: Store): Reply {
  const { metadata, ...rest } = kubernetesObject.parse(body);
  const status = { ...object.parse(rest['status'] ?? {}), ...READY };
  return store.put(name, { ...rest, metadata: { ...metadata, generation: 1 }, status });
}
