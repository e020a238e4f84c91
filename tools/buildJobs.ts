// Bundles the admins' command line into one file for the scheduled jobs: `npm run build:jobs -- FILE`.

import { bundle } from './build.ts';

const outfile = process.argv[2];
if (!outfile) {
  console.error('The output file is missing. Use: npm run build:jobs -- FILE');
  process.exit(2);
}

await bundle('cli/main.ts', outfile, {
  format: 'esm',
  // Bundled CommonJS modules use these variables.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
      'const { filename: __filename, dirname: __dirname } = import.meta;',
    ].join('\n'),
  },
});
