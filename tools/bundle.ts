// Bundles a function into the single file that is tested, measured and deployed.

import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * firebase-functions imports these from the admin SDK to check the callers of callable functions. This
 * project has no callable functions, so stubs replace the imports.
 */
const STUBBED = [
  'applicationDefault',
  'deleteApp',
  'getApp',
  'getAppCheck',
  'getAuth',
  'initializeApp',
];
const withoutCallables: Plugin = {
  name: 'without-callables',
  setup({ onResolve, onLoad }) {
    const namespace = 'stub';
    onResolve({ filter: /^firebase-admin\/(app|auth|app-check)$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/firebase-functions/') ? { path, namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `
        const stub = () => { throw new Error('${path} is not bundled, because the project has no callable functions'); };
        export { ${STUBBED.map((name) => `stub as ${name}`).join(', ')} };`,
    }));
  },
};

/** Keeps zod out of the bundle, because loading it and building schemas would slow down every cold start. */
const withoutZod: Plugin = {
  name: 'without-zod',
  setup({ onResolve }) {
    // zod/v4/core is allowed, because its regular expressions are small.
    onResolve({ filter: /^zod/ }, ({ path, importer }) =>
      path === 'zod/v4/core' || importer.includes('/node_modules/')
        ? undefined
        : { errors: [{ text: 'The function must not import zod. Move this schema elsewhere.' }] },
    );
  },
};

/** @param entry the source file, relative to the project @param outfile the bundle, relative to the project */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // Compiles import() to require, which does not start the ES module loader.
    supported: { 'dynamic-import': false },
    // The deployed package.json installs functions-framework.
    external: ['@google-cloud/functions-framework'],
    // Identifiers are not minified, so logged stack traces are readable without a source map.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    plugins: [withoutCallables, withoutZod],
  });
}
