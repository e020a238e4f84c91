// Handles firebase-tools' requests that are not for resources of the store, such as uploads.

import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Handler } from './handler.ts';
import { DEFAULT_ACCOUNT, PROJECT_NUMBER } from './rules.ts';
import { refusal, type Store } from './store.ts';

const hostingFiles = z.object({ files: z.record(z.string(), z.string()) });

/** Patterns of method and address without the query. The first match handles the request. */
export const FIREBASE_HANDLERS: [RegExp, Handler][] = [
  [/^GET registry.npmjs.org/, () => refusal(404, 'NOT_FOUND', 'The double has no npm registry.')],
  [/^GET firebase-public.firebaseio.com/, () => ({ body: {} })],
  [
    /^POST www.googleapis.com\/oauth2\/v3\/token$/,
    () => ({ body: { access_token: 'ya29.new', expires_in: 3_600 } }),
  ],
  [
    /^GET firebase.\S+\/adminSdkConfig$/,
    ({ path }) => ({ body: { projectId: path.split('/')[3] } }),
  ],
  [
    /^GET (?:firebase|cloudresourcemanager).googleapis.com\/v\d\w*\/projects\/([^/]+)$/,
    (_call, [, id]) => ({
      body: {
        projectId: id,
        projectNumber: PROJECT_NUMBER,
        name: `projects/${id}`,
        state: 'ACTIVE',
      },
    }),
  ],
  [
    /^(?:POST cloudresourcemanager.\S+\/projects|POST firebase.\S+:addFirebase|GET \S+\/operations\/project)$/,
    () => ({ body: { name: 'operations/project', done: true, response: {} } }),
  ],
  [/^GET cloudbilling.\S+\/billingInfo$/, () => ({ body: { billingEnabled: true } })],
  [/^GET firebaseextensions./, () => ({ body: { instances: [] } })],
  [
    /:generateServiceIdentity$/,
    () => ({
      body: {
        name: 'operations/1',
        done: true,
        response: { email: 'agent@gcp-sa.iam.gserviceaccount.com' },
      },
    }),
  ],
  [/^GET runtimeconfig./, () => ({ body: { configs: [] } })],
  [
    /^GET compute.\S+\/projects\/[^/]+$/,
    () => ({
      body: { defaultServiceAccount: DEFAULT_ACCOUNT },
    }),
  ],

  // Cloud Functions: the archive is uploaded to a bucket, then an operation creates a Cloud Run service.
  [
    /^POST cloudfunctions.\S+:generateUploadUrl$/,
    () => ({
      body: {
        uploadUrl: 'https://storage.googleapis.com/gcf-v2-uploads/source.zip',
        storageSource: { bucket: 'gcf-v2-uploads', object: 'source.zip' },
      },
    }),
  ],
  [
    /^PUT storage.googleapis.com\/gcf-v2-uploads\/(.*)$/,
    ({ body }, [, name = ''], store) => keep(store, name, body),
  ],
  [
    // Created with the first function of the region.
    /^GET artifactregistry.\S+\/(projects\/\S+\/locations\/[^/]+)\/repositories\/gcf-artifacts$/,
    (_call, [, location = ''], store) => {
      const name = `${location}/repositories/gcf-artifacts`;
      if (!store.names('functions').some((one) => one.startsWith(location))) {
        return refusal(404, 'NOT_FOUND', `Repository '${name}' was not found.`);
      }
      if (!store.resources.has(name)) store.put(name, { format: 'DOCKER' });
      return { body: store.resources.get(name) };
    },
  ],
  [/^GET cloudfunctions.googleapis.com\/v1\//, () => ({ body: { functions: [] } })],

  [
    /^POST secretmanager.\S+\/(projects\/[^/]+\/secrets\/[^/]+):addVersion$/,
    (_call, [, secret], store) => store.put(`${secret}/versions/1`, { state: 'ENABLED' }),
  ],
  [
    /^GET secretmanager.\S+\/(projects\/[^/]+\/secrets\/[^/]+)\/versions\/latest$/,
    (_call, [, secret], store) => ({ body: store.resources.get(`${secret}/versions/1`) }),
  ],

  // Hosting: a version lists its files by hash, and Hosting requests the missing ones.
  [
    /^POST firebasehosting.\S+\/(sites\/[^/]+\/versions\/[^/]+):populateFiles$/,
    ({ body }, [, version]) => ({
      body: {
        uploadRequiredHashes: Object.values(hostingFiles.parse(body).files),
        uploadUrl: `https://upload-firebasehosting.googleapis.com/upload/${version}`,
      },
    }),
  ],
  [
    /^POST upload-firebasehosting.\S+\/(\w+)$/,
    ({ body }, [, hash = ''], store) =>
      keep(store, hash, Buffer.isBuffer(body) ? gunzipSync(body) : body),
  ],

  // Google compiles rules to test them. The double has no compiler.
  [/^POST firebaserules.\S+:test$/, () => ({ body: { issues: [] } })],
];

function keep(store: Store, name: string, body: unknown) {
  store.files.set(name, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
  return { body: {} };
}
