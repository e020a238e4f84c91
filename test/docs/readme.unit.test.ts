// Compares the README's tables with the code.

import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERRORS } from '../../functions/src/lookup/errors.ts';
import { summarize } from '../../functions/src/lookup/summary.ts';
import { ATTESTATION_FIELDS } from '../../records/attestation.ts';
import { TOKEN_LIFETIME } from '../../records/verificationToken.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The cells of a section's table rows, without its header. */
function tableOf(heading: string): string[][] {
  const section = readme.split(`\n### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const names = (heading: string): string[] =>
  tableOf(heading).map(([name]) => (name ?? '').replaceAll('`', ''));

test('the error table is ERRORS, row by row', () => {
  const rows = tableOf('Errors').map(([status, code]) => [status, code]);
  const errors = Object.entries(ERRORS).map(([code, { status }]) => [
    String(status),
    `\`${code}\``,
  ]);
  expect(rows).toEqual(errors);
});

test('the field tables are those of the response', () => {
  expect(names('Response')).toEqual([
    'wallet',
    'attestations',
    'count',
    ...Object.keys(summarize([])),
  ]);
  expect(names('Attestation')).toEqual(ATTESTATION_FIELDS);
});

test('every test that SECURITY.md names exists', () => {
  const security = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  const named = [...security.matchAll(/`([\w./]+\.test\.ts)`/g)];
  const files = globSync('test/**/*.test.ts');
  expect(named.length).toBeGreaterThan(10);
  expect(files).toEqual(expect.arrayContaining(named.map(([, file]) => file)));
});

test.each([
  ...['README.md', 'SECURITY.md', 'docs/integrating.md', 'docs/operations.md', 'docs/sandbox.md'],
  ...['deploy/jobs/poh-token-purge.yaml', 'deploy/jobs/poh-token-purge.schedule.yaml'],
])('%s states the lifetime of a token', (file) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(TOKEN_LIFETIME);
});
