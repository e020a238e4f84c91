// Bundles the function into the one file that is tested and deployed.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withoutCallables } from './leftOut.ts';

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
