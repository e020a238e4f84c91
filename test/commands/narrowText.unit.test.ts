// Tests that the demonstration's output fits in a terminal and changes no value.

import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../functions/src/lookup/errors.ts';
import { errorExample, lookupExamples } from '../../site/contract/examples.ts';
import { formatJson, formatUrl } from '../../tools/narrowText.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';

const COLUMNS = 80;
const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '');

const BODIES = [
  ...Object.entries(lookupExamples()).map(([name, { value }]) => ({ name, body: value })),
  ...ERROR_CODES.map((code) => ({ name: code, body: errorExample(code) })),
];

test.each(BODIES)('$name fits in 80 columns, with the fields in order', ({ body }) => {
  const text = formatJson(body, Number.POSITIVE_INFINITY);
  expect(widest(text)).toBeLessThanOrEqual(COLUMNS);
  expect(withoutSpace(text)).toBe(withoutSpace(JSON.stringify(body)));
});

test('the hidden entries of a list are counted', () => {
  const text = formatJson({ list: [{ a: 1 }, { a: 2 }, { a: 3 }] }, 1);
  expect(text).toBe('{ "list": [\n    { "a": 1 }\n    … and 2 more\n  ] }');
});

test('a long URL is split before each parameter', () => {
  const { wallet } = DEMONSTRATION;
  const query = `?wallet=${wallet}&wallet=${wallet}`;
  const text = formatUrl('GET …', query);
  expect(widest(text)).toBeLessThanOrEqual(COLUMNS);
  expect(withoutSpace(text)).toBe(`GET…${query}`);
});

test('a value without spaces is never split across lines', () => {
  for (const { body } of BODIES) {
    const words = Object.values(body).filter(
      (value) => typeof value === 'string' && !value.includes(' '),
    );
    const text = formatJson(body, Number.POSITIVE_INFINITY);
    for (const word of words) expect(text).toContain(`"${word}"`);
  }
});
