// Compares docs/changes.md with the contract's version.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../site/contract/document.ts';

const text = readFileSync(new URL('../../docs/changes.md', import.meta.url), 'utf8');
const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '');

test("the latest change is the contract's version, with its date", () => {
  const { version } = openapiDocument().info;
  expect(headings[0]).toMatch(
    new RegExp(`^${version.replaceAll('.', '\\.')}, \\d{4}-\\d{2}-\\d{2}$`),
  );
});

test('changes are dated, the latest first', () => {
  const dates = headings.map((heading) => /\d{4}-\d{2}-\d{2}/.exec(heading)?.[0] ?? '');
  expect(dates).not.toContain('');
  expect(dates).toEqual(dates.toSorted().toReversed());
});
