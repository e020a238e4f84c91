// Builds the function. The argument is the output folder; the default is functions/lib, which is tested and
// deployed. The folder gets the function as firebase-tools loads it, the framework that serves it in production, and a
// package.json and package-lock.json with which Google's builder installs only that framework.
// With --jobs after it, the folder gets only admin.mjs and deploy/check.mjs, the admins' command line and the check of the
// deployment for the scheduled job.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { publicKeySetSchema } from '../functions/src/signatures/publicKeySet.ts';
import publicKeys from '../functions/src/signatures/publicKeys.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');

const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** The major version of Node, such as `24`. */
const [NODE_MAJOR = ''] = /\d+/.exec(readJson('package.json').engines.node) ?? [];

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    // With these, firebase-functions checks the callers of callable functions, which this project does not have.
    const namespace = 'stub';
    onResolve({ filter: /^firebase-admin\// }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /.*/, namespace }, () => ({ contents: 'module.exports = {};' }));
    // Loading zod and building schemas would slow down every cold start. Only the regular expressions of zod/v4/core
    // are small enough.
    onResolve({ filter: /^zod/ }, ({ path, importer }) =>
      path === 'zod/v4/core' || importer.includes('/node_modules/')
        ? undefined
        : { errors: [{ text: 'The function must not import zod. Move this schema elsewhere.' }] },
    );
  },
};

const git = (...words: readonly string[]) =>
  spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });

/** The commit of this checkout in a form that is a valid label; `-dirty` if a file has changed since. */
export function readCommit(): string {
  const { status, stdout } = git('describe', '--always', '--abbrev=12', '--exclude=*');
  if (status !== 0) return 'unknown';
  // Each deployment writes the names of its sites into .firebaserc.
  const isClean = git('diff', '--quiet', 'HEAD', '--', '.', ':!.firebaserc').status === 0;
  return `${stdout.trim()}${isClean ? '' : '-dirty'}`;
}

const FUNCTION: BuildOptions = {
  format: 'cjs',
  // Compiles import() to require, which does not start the ES module loader.
  supported: { 'dynamic-import': false },
  define: { COMMIT: JSON.stringify(readCommit()) },
  plugins: [withoutUnused],
};

/**
 * What Google's builder starts: our own package, under the name of Google's. The way back is `{}`: the builder then adds
 * its own framework, and the function takes its server over with the first request.
 */
const FRAMEWORK: Readonly<Record<string, string>> = {
  '@google-cloud/functions-framework': 'file:framework',
};

const JOBS: BuildOptions = {
  format: 'esm',
  // Bundled CommonJS modules use these variables.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
      'const { filename: __filename, dirname: __dirname } = import.meta;',
    ].join('\n'),
  },
};

/**
 * @param entry the source file, relative to the project
 * @param outfile the bundle, relative to the project
 */
export async function bundle(entry: string, outfile: string, options = FUNCTION): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: `node${NODE_MAJOR}`,
    // Identifiers are not minified, so logged stack traces are readable without a source map.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    ...options,
  });
}

function writeFunctionPackage(folder: string): void {
  const { name, version } = readJson('package.json');
  const { lockfileVersion } = readJson('package-lock.json');
  // From `engines`, firebase-tools takes the runtime.
  const manifest = { name, version, engines: { node: NODE_MAJOR }, dependencies: FRAMEWORK };
  // npm makes a new command executable, but not one whose link Google's builder has kept since an earlier build.
  const scripts = { postinstall: 'chmod +x framework/index.cjs' };
  write(join(folder, 'package.json'), { ...manifest, private: true, main: 'index.cjs', scripts });
  const bin = { 'functions-framework': 'index.cjs' };
  const locked = Object.entries(FRAMEWORK).map(([framework, source]) => {
    const path = source.replace('file:', '');
    write(join(folder, path, 'package.json'), { name: framework, version, bin });
    return {
      [path]: { name: framework, version, bin },
      [`node_modules/${framework}`]: { resolved: path, link: true },
    };
  });
  write(join(folder, 'package-lock.json'), {
    ...{ name, version, lockfileVersion, requires: true },
    packages: { '': manifest, ...Object.assign({}, ...locked) },
  });
}

/** Adds the two packages without which the Functions emulator refuses a package.json. */
export function nameSdksForEmulator(folder: string): void {
  const file = join(folder, 'package.json');
  const devDependencies = { 'firebase-admin': '*', 'firebase-functions': '*' };
  write(file, { ...readJson(file), devDependencies });
}

function write(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

async function main(): Promise<void> {
  const [folder = 'functions/lib', flag] = process.argv.slice(2);
  if (flag === '--jobs') {
    await bundle('cli/main.ts', join(folder, 'admin.mjs'), JOBS);
    return await bundle('deploy/check.ts', join(folder, 'deploy/check.mjs'), JOBS);
  }
  // The function does not validate the set that is bundled with it.
  if (!publicKeySetSchema.safeParse(publicKeys).success) {
    console.error(
      'functions/src/signatures/publicKeys.json is not a valid set of public keys. Restore it, and change it only ' +
        'with `npm run -s admin -- signing-keys`.',
    );
    process.exit(1);
  }
  await bundle('functions/src/index.ts', join(folder, 'index.cjs'));
  await bundle('functions/framework/main.ts', join(folder, 'framework/index.cjs'));
  writeFunctionPackage(folder);
}

if (import.meta.main) await main();
