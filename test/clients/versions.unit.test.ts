// Compares the versions of the clients with the contract and the documents.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../site/contract/document.ts';

const { version } = openapiDocument().info;
const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  ['clients/typescript/package.json', `"version": "${version}"`],
  ['clients/python/poh_attestations.py', `__version__ = "${version}"`],
  ['clients/go/poh.go', `const Version = "${version}"`],
  ['docs/integrating.md', `poh-attestations-${version}.tgz`],
  ['docs/clients.md', `poh-attestations-${version}.tgz`],
])("%s has the contract's version", (path, text) => expect(read(path)).toContain(text));

test('docs/clients.md names only existing exports', () => {
  const [, names = ''] = read('docs/clients.md').split('\n## Names\n');
  const rows = names.split('\n## ')[0]?.split('\n').slice(4) ?? [];
  const sources = [
    ['index', 'attestations', 'evidence', 'failures']
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
