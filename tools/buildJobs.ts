// Bundles the admins' command line into one file for the scheduled jobs: `npm run build:jobs -- FILE`.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const outfile = process.argv[2];
if (!outfile) {
  console.error('The output file is missing. Use: npm run build:jobs -- FILE');
  process.exit(2);
}

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['admin/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Bundled CommonJS modules use these variables.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
      'const { filename: __filename, dirname: __dirname } = import.meta;',
    ].join('\n'),
  },
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
});
