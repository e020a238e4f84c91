// Handles gcloud's requests that are not for resources of the store, such as uploads and builds.

import * as z from 'zod';
import { object } from './collections.ts';
import type { Handler } from './handler.ts';
import { refusal } from './store.ts';

const buildResource = z.object({ substitutions: z.object({ _IMAGE: z.string() }) });

/** Patterns of method and address without the query. The first match handles the request. */
export const GCLOUD_HANDLERS: [RegExp, Handler][] = [
  [
    /^POST serviceusage.googleapis.com.*:batchEnable$/,
    () => ({ body: { name: 'operations/1', done: true, response: {} } }),
  ],
  [/^GET serviceusage.googleapis.com/, () => ({ body: { state: 'ENABLED' } })],
  [/:queryTestablePermissions$/, () => ({ body: {} })],
  [
    /^GET storage.googleapis.com\/storage\/v1\/b\/([^/]+)$/,
    (_call, [, name = ''], store) =>
      store.resources.has(`b/${name}`)
        ? { body: { name } }
        : refusal(404, 'NOT_FOUND', `The bucket ${name} does not exist.`),
  ],
  [
    /^GET storage.googleapis.com\/storage\/v1\/b$/,
    (_call, _match, store) => ({
      body: { items: store.names('b').map((name) => ({ id: name.slice(2) })) },
    }),
  ],
  [
    /^POST storage.googleapis.com\/storage\/v1\/b$/,
    ({ body }, _match, store) => {
      const { name } = z.object({ name: z.string() }).parse(body);
      store.resources.set(`b/${name}`, { name });
      return { body: { name } };
    },
  ],
  [
    /^POST storage.googleapis.com\/upload\//,
    ({ body }) => ({ body: { size: /"size": "(\d+)"/.exec(String(body))?.[1] } }),
  ],
  [
    /^POST cloudbuild.googleapis.com\/v1\/(.*)\/builds$/,
    ({ body }, _match, store) => {
      const build = { ...object.parse(body), id: '1', projectId: 'p', status: 'SUCCESS' };
      store.resources.set('builds/1', build);
      store.resources.set(`images/${buildResource.parse(body).substitutions._IMAGE}`, {});
      return { body: { name: 'operations/build', metadata: { build } } };
    },
  ],
  [
    /^GET cloudbuild.googleapis.com/,
    (_call, _match, store) => ({ body: store.resources.get('builds/1') }),
  ],
];
