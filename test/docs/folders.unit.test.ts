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

/** @returns the folders and packages that the files of a folder import from, each with a file */
function importsOf(folder: string): Map<string, string> {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/lib'] });
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(
      ([, target = '']) =>
        target.startsWith('.')
          ? ([normalize(join(file, '..', target)).split('/')[0] ?? '', file] as const)
          : ([`package ${target}`, file] as const),
    ),
  );
  return new Map(imports);
}

test.each(Object.entries(MAY_IMPORT))('%s imports from no folder but %j', (folder, allowed) => {
  const imports = [...importsOf(folder)].filter(([target]) => target !== 'firebase.json');
  expect(imports.length).toBeGreaterThan(2);
  const foreign = imports.filter(
    ([target]) => !target.startsWith('package ') && ![folder, ...allowed].includes(target),
  );
  expect(foreign).toEqual([]);
});

test('the records need no package that does not run in browsers', () => {
  const packages = [...importsOf('records').keys()].filter((name) => name.startsWith('package '));
  const others = packages.filter(
    (name) => !/ (zod\/v4\/core|bs58|bs58check|@noble\/.+|@solana\/web3\.js)$/.test(name),
  );
  expect(others).toEqual([]);
});
