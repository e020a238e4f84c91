// Imports between folders go one way. Biome finds cycles, also within a folder.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The folders that each folder may import from. Of its own files, `test` may import any. */
const MAY_IMPORT = {
  contract: [],
  records: ['contract'],
  clients: [],
  functions: ['contract', 'records'],
  console: ['contract', 'records'],
  cli: ['contract', 'records', 'functions', 'clients'],
  tools: ['contract', 'records', 'functions', 'cli'],
  site: ['contract', 'functions', 'tools', 'cli'],
};

/** @returns the folders of the same depth that the files of a folder import from, each with a file */
function importsOf(folder: string): Map<string, string> {
  const depth = folder.split('/').length;
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/lib'] });
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(
      ([, target = '']) => {
        const parts = normalize(join(file, '..', target)).split('/');
        return [parts.slice(0, depth).join('/'), file] as const;
      },
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

test('the folders within them do not import each other in a circle', () => {
  const files = globSync(`{${Object.keys(MAY_IMPORT)}}/*/*.{ts,tsx}`);
  const inner = [...new Set(files.map(dirname))].map((folder) => ({
    folder,
    targets: [...importsOf(folder).keys()].filter((target) => target !== folder),
  }));
  // Leaves out, in each round, the folders that import from none of the others that are left.
  const left = inner.reduce(
    (rest) => rest.filter(({ targets }) => rest.some(({ folder }) => targets.includes(folder))),
    inner,
  );
  expect(left).toEqual([]);
});
