// Bundles a function into one file, which is what is tested, measured and deployed.

import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * firebase-functions imports the admin SDK to check the callers of callable functions, of which there
 * are none here.
 */
const LEFT_OUT = [
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
    const namespace = 'left-out';
    onResolve({ filter: /^firebase-admin\/(app|auth|app-check)$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/firebase-functions/') ? { path, namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `
        const leftOut = () => { throw new Error('${path} is left out for callable functions'); };
        export { ${LEFT_OUT.map((name) => `leftOut as ${name}`).join(', ')} };`,
    }));
  },
};

/** A lookup parses by hand: to load zod and construct schemas would slow down each start. */
const withoutZod: Plugin = {
  name: 'without-zod',
  setup({ onResolve }) {
    // Its regular expressions are small.
    onResolve({ filter: /^zod/ }, ({ path, importer }) =>
      path === 'zod/v4/core' || importer.includes('/node_modules/')
        ? undefined
        : { errors: [{ text: 'zod must stay out of the function: move this schema out of it' }] },
    );
  },
};

/**
 * @param entry the source file, and @param outfile the bundle, both relative to the project
 * @param external what is not bundled: google-auth-library is never loaded on the platform
 */
export async function bundle(
  entry: string,
  outfile: string,
  external: string[] = ['google-auth-library'],
): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // An import() becomes a require, which needs no loader of modules.
    supported: { 'dynamic-import': false },
    // functions-framework is what is installed.
    external: ['@google-cloud/functions-framework', ...external],
    // Names stay as they are, so that a logged stack trace can be read without a source map.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    plugins: [withoutCallables, withoutZod],
  });
}
