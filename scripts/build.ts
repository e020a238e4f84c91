// Bundles the function into the files that are tested and deployed.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { FILE_BEGIN, FILE_END } from '../functions/src/startup/codeCache.ts';
import { publicKeySetSchema } from '../signatures/publicKeySet.ts';
import publicKeys from '../signatures/publicKeys.json' with { type: 'json' };

/**
 * firebase-functions imports the admin SDK to check the callers of callable functions, of which there
 * are none here. The lookup's own use of it has a file of its own.
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
    // Its regular expressions alone are small.
    onResolve({ filter: /^zod/ }, ({ path, importer }) =>
      path === 'zod/v4/core' || importer.includes('/node_modules/')
        ? undefined
        : { errors: [{ text: 'zod must stay out of the function: move this schema out of it' }] },
    );
  },
};

/** Google's large libraries, which a wallet or token lookup on Google's platform does not load. */
const SECOND_FILE = 'googleLibraries';
const secondFile: Plugin = {
  name: 'second-file',
  setup({ onResolve }) {
    onResolve({ filter: /\/googleLibraries\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${SECOND_FILE}.cjs`, external: true } : undefined,
    );
  },
};

// The function trusts the set that is built into it.
if (!publicKeySetSchema.safeParse(publicKeys).success) {
  console.error(
    'signatures/publicKeys.json is not a set of public keys: restore it, and change it with ' +
      '`npm run -s admin -- signing-keys`.',
  );
  process.exit(1);
}

const outdir = resolve(import.meta.dirname, '..', process.argv[2] ?? 'functions/lib');
const options: BuildOptions = {
  absWorkingDir: resolve(import.meta.dirname, '..'),
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // What a CommonJS file has in place of import.meta.
  define: { 'import.meta.dirname': '__dirname' },
  // An import() becomes a require, which needs no loader of modules.
  supported: { 'dynamic-import': false },
  // Names stay as they are, so that a logged stack trace can be read without a source map.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  outdir,
  outExtension: { '.js': '.cjs' },
  plugins: [withoutCallables, withoutZod, secondFile],
};

const startup = 'functions/src/startup';
await build({
  ...options,
  entryPoints: { index: `${startup}/main.ts`, writeCodeCache: `${startup}/writeCodeCache.ts` },
  external: ['@google-cloud/functions-framework'],
});
await build({
  ...options,
  entryPoints: {
    lookup: 'functions/src/index.ts',
    [SECOND_FILE]: `functions/src/${SECOND_FILE}.ts`,
  },
  // These two are loaded by the first alone.
  banner: { js: FILE_BEGIN },
  footer: { js: FILE_END },
});
execFileSync(process.execPath, [join(outdir, 'writeCodeCache.cjs')], { stdio: 'inherit' });
