// Compares the versions of the clients with the contract and the documents.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../site/contract/document.ts';

const contractVersion = openapiDocument().info.version;
/** The clients have the first two numbers of the contract, and a third of their own. */
const { version } = JSON.parse(
  readFileSync(new URL('../../clients/typescript/package.json', import.meta.url), 'utf8'),
);
const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  ['clients/typescript/index.ts', `VERSION = '${version}'`],
  ['clients/python/poh_attestations.py', `__version__ = "${version}"`],
  ['clients/go/poh.go', `const Version = "${version}"`],
  ['docs/integrating.md', `poh-attestations-${version}.tgz`],
  ['docs/clients.md', `poh-attestations-${version}.tgz`],
])("%s has the clients' version", (path, text) => expect(read(path)).toContain(text));

test('the clients support the version of the contract', () => {
  const firstTwo = (text: string): string => text.replace(/\.\d+$/, '');
  expect(firstTwo(version)).toBe(firstTwo(contractVersion));
});

test('docs/clients.md names only existing exports', () => {
  const [, names = ''] = read('docs/clients.md').split('\n## Names\n');
  const rows = names.split('\n## ')[0]?.split('\n').slice(4) ?? [];
  const sources = [
    ['index', 'result', 'evidence', 'exchange']
      .map((name) => read(`clients/typescript/${name}.ts`))
      .join('\n'),
    read('clients/python/poh_attestations.py'),
    read('clients/go/poh.go'),
  ];
  for (const row of rows.filter((line) => line.startsWith('|'))) {
    const cells = row.split('|').slice(2, 5);
    for (const [index, cell] of cells.entries()) {
      for (const [, name] of cell.matchAll(/`(?:new |\*)?(\w+)/g)) {
        expect(sources[index]).toMatch(
          new RegExp(`(class|def|const|func|function|type|async|\\)) \\*?${name}\\b`),
        );
      }
    }
  }
});
