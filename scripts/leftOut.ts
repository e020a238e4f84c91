// Owns what the bundle leaves out: modules that a lookup never uses, but that their importers would
// load at every cold start.

import type { Plugin } from 'esbuild';

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
