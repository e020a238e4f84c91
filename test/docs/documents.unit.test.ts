// Compares tables of the documents with the code, and follows the documents' links.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../functions/src/lookup/errors.ts';
import { summarize } from '../../functions/src/lookup/summary.ts';
import { ATTESTATION_FIELDS } from '../../records/attestation.ts';
import { TOKEN_LIFETIME } from '../../records/verificationToken.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const GUIDE = read('docs/integrating.md');

/** The cells of the first table with this in its header, without code marks. */
function tableOf(header: string): string[][] {
  const lines = GUIDE.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|') && line.includes(header));
  expect(begin).toBeGreaterThan(0);
  const rows = lines.slice(begin + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .replaceAll('`', '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the guide's error table is ERRORS, row by row", () => {
  const rows = tableOf('| `code` |').map(([status, code]) => [status, code]);
  expect(rows).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [`${status}`, code]));
});

test("the guide's field tables are those of the response", () => {
  const names = tableOf('| field ').map(([name]) => name);
  expect(names).toEqual(['wallet', 'attestations', 'count', ...Object.keys(summarize([]))]);
  const fields = tableOf('| field             | type                  |').map(([name]) => name);
  expect(fields).toEqual(ATTESTATION_FIELDS);
});

test('every test that SECURITY.md names exists', () => {
  const named = [...read('SECURITY.md').matchAll(/`([\w./]+\.test\.ts)`/g)];
  const files = globSync('test/**/*.test.ts');
  expect(named.length).toBeGreaterThan(10);
  expect(files).toEqual(expect.arrayContaining(named.map(([, file]) => file)));
});

/** The anchors of a document's headings, as GitHub derives them. */
const anchorsOf = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test.each(globSync('{*,docs/*}.md'))('every link of %s leads to a file and a heading', (file) => {
  const links = [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? file : join(dirname(file), path);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each([
  ...[
    'README.md',
    'SECURITY.md',
    'docs/administration.md',
    'docs/integrating.md',
    'docs/sandbox.md',
  ],
  ...['deploy/jobs/poh-token-purge.yaml', 'deploy/jobs/poh-token-purge.schedule.yaml'],
])('%s states the lifetime of a token', (file) => {
  expect(read(file)).toContain(TOKEN_LIFETIME);
});
