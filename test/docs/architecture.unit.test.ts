// Compares docs/architecture.md with the code, and its diagram with the README's.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as timeLimits from '../../functions/src/timeLimits.ts';
import { COLLECTIONS } from '../../records/collections.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const TEXT = read('docs/architecture.md');
const diagramsOf = (text: string): string[] =>
  [...text.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
const DIAGRAMS = diagramsOf(TEXT);

const files = globSync('{functions/src,records,console}/**/*.{ts,tsx}');
const CODE = [...files, 'firestore.rules'].map(read).join('\n');

test('the first diagram is also in the README', () => {
  expect(DIAGRAMS).toHaveLength(2);
  expect(diagramsOf(read('README.md'))).toEqual(DIAGRAMS.slice(0, 1));
});

describe('names', () => {
  const paths = [...TEXT.matchAll(/`([\w/]+\.ts)`|participant \w as (\w+\/\w+)/g)];
  test.each(paths.map(([, file, part]) => file ?? `${part}.ts`))('%s is a file', (file) => {
    expect(existsSync(file) || existsSync(`functions/src/${file}`)).toBe(true);
  });

  const identifiers = DIAGRAMS.join('\n').match(/\b[a-z]+[A-Z]\w+\b/g) ?? [];
  const known = new Set(['sequenceDiagram']);
  test.each([...new Set(identifiers)].filter((name) => !known.has(name)))(
    'the code contains %s, which a diagram names',
    (name) => {
      expect(CODE).toContain(name);
    },
  );
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
