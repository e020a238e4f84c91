// Owns what the bundle leaves out: modules that a lookup never uses, but that their importers would
// load at every cold start. A build fails when one of them is no longer where it was.

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

interface LeftOut {
  readonly why: string;
  readonly file: RegExp;
  /** What stands in its place. */
  readonly instead: (original: string) => string;
}

const LEFT_OUT: readonly LeftOut[] = [
  {
    why: 'the schema of the administration service: every message type costs time to build',
    file: /\/firestore-api\/build\/protos\/protos\.json$/,
    instead: (original) => {
      const schema = JSON.parse(original);
      delete schema.nested.google.nested.firestore.nested.admin;
      return `module.exports = ${JSON.stringify(schema)};`;
    },
  },
  {
    why: 'generated message classes: only merging writes and bundles use them',
    file: /\/firestore-api\/build\/protos\/protos\.js$/,
    instead: () => 'exports.google = { firestore: { v1: { Value: {} } } };',
  },
  {
    why: 'generated message classes of services that the client only re-exports',
    file: /\/google-gax\/build\/protos\/(iam_service|locations|operations)\.js$/,
    instead: () => '',
  },
  {
    why: 'the client of the locations service, which each Firestore client makes for itself',
    file: /\/google-gax\/build\/src\/locationService\.js$/,
    instead: () => 'exports.LocationsClient = class { async close() {} };',
  },
];

export const leaveOut: Plugin = {
  name: 'leave-out',
  setup({ onLoad, onEnd }) {
    const unmet = new Set(LEFT_OUT);
    for (const entry of LEFT_OUT) {
      onLoad({ filter: entry.file }, async ({ path }) => {
        unmet.delete(entry);
        return { contents: entry.instead(await readFile(path, 'utf8')), loader: 'js' };
      });
    }
    onEnd(() => ({
      errors: [...unmet].map(({ why, file }) => ({ text: `not in the bundle: ${file}, ${why}` })),
    }));
  },
};

/**
 * firebase-functions imports Authentication and App Check to check the callers of callable
 * functions, of which there are none here. The lookup's own import of Authentication stays.
 */
export const withoutCallables: Plugin = {
  name: 'without-callables',
  setup({ onResolve, onLoad }) {
    const namespace = 'left-out';
    onResolve({ filter: /^firebase-admin\/(auth|app-check)$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/firebase-functions/') ? { path, namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `
        const leftOut = () => { throw new Error('${path} is left out for callable functions'); };
        export { leftOut as getAuth, leftOut as getAppCheck };`,
    }));
  },
};
