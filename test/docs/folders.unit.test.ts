// Imports between folders go one way. Biome finds cycles, also within a folder.

import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The folders that each folder may import from. Of its own files, `test` may import any. */
const MAY_IMPORT = {
  records: [],
  clients: [],
  functions: ['records'],
  console: ['records'],
  cli: ['records', 'functions', 'clients'],
  tools: ['records', 'functions', 'cli'],
  site: ['records', 'functions', 'tools'],
};

/** @returns the folders that the files of a folder import from, each with a file */
function importsOf(folder: string): Map<string, string> {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/lib'] });
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(
      ([, target = '']) => [normalize(join(file, '..', target)).split('/')[0] ?? '', file] as const,
    ),
  );
  return new Map(imports);
}

test.each(Object.entries(MAY_IMPORT))('%s imports from no folder but %j', (folder, allowed) => {
  const imports = [...importsOf(folder)].filter(([target]) => target !== 'firebase.json');
  expect(imports.map(([target]) => target)).toContain(folder);
  const foreign = imports.filter(([target]) => ![folder, ...allowed].includes(target));
  expect(foreign).toEqual([]);
});
