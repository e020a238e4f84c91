// Compares docs/architecture.md and its pictures with the code.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as timeLimits from '../../functions/src/timeLimits.ts';
import { COLLECTIONS } from '../../records/collections.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const TEXT = read('docs/architecture.md');
const PICTURES = [...TEXT.matchAll(/\((pictures\/\w+\.svg)\)/g)].map(([, file]) => `docs/${file}`);
/** The texts of the pictures. */
const LABELS = PICTURES.flatMap((file) =>
  [...read(file).matchAll(/<text[^>]*>([^<]+)</g)].map(([, label = '']) => label),
);

const files = globSync('{functions/src,records,console}/**/*.{ts,tsx}');
const CODE = [...files, 'firestore.rules'].map(read).join('\n');

describe('names', () => {
  const paths = [...TEXT.matchAll(/`([\w/]+\.ts)`/g)].map(([, file]) => file ?? '');
  const parts = LABELS.filter((label) => label.includes('/')).map((label) => `${label}.ts`);
  test.each([...paths, ...parts])('%s is a file', (file) => {
    expect(existsSync(file) || existsSync(`functions/src/${file}`)).toBe(true);
  });

  const identifiers = LABELS.join('\n').match(/\b[a-z]+[A-Z]\w+\b/g) ?? [];
  test.each([...new Set(identifiers)])('the code contains %s, which a picture names', (name) => {
    expect(CODE).toContain(name);
  });
});

test('the time limits are those of the code', () => {
  const rows = [...TEXT.matchAll(/^\| `(\w+)`, ([\d.]+) s \|/gm)];
  const stated = new Map(rows.map(([, name = '', seconds]) => [name, Number(seconds)]));
  const limits = Object.entries(timeLimits).flatMap(([name, value]) => {
    if (!stated.has(name) || typeof value !== 'number') return [];
    return [[name, name.endsWith('_SECONDS') ? value : value / 1000] as const];
  });
  expect(limits).toHaveLength(6);
  expect(new Map(limits)).toEqual(stated);
});

test('the collections and their fields are those of the code', () => {
  const rows = [...TEXT.matchAll(/^\| `(\w+)` \| [^|]+\| ([^|]+)\|/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(Object.values(COLLECTIONS).toSorted());
  const fields = rows.flatMap(([, , cell = '']) => cell.match(/(?<=`)\w+(?=`)/g) ?? []);
  expect(fields.length).toBeGreaterThan(15);
  expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(CODE))).toEqual([]);
});
