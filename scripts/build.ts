// Bundles the function into the one file that is tested and deployed.

import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * firebase-functions imports Authentication and App Check to check the callers of callable
 * functions, of which there are none here. The lookup's own import of Authentication stays.
 */
const withoutCallables: Plugin = {
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

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['functions/src/index.ts'],
  outfile: process.argv[2] ?? 'functions/lib/index.cjs',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Names stay as they are, so that a logged stack trace can be read without a source map.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  plugins: [withoutCallables],
});
