// The demonstration fits into a terminal, and changes nothing of what it shows.

import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../functions/src/lookup/errors.ts';
import { errorExample, lookupExamples } from '../../openapi/examples.ts';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import { emulatedEndpoint } from '../../sandbox/emulatorAddresses.ts';
import { formatJson, formatUrl } from '../../scripts/narrowText.ts';

const COLUMNS = 100;
const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '');

const BODIES = [
  ...Object.entries(lookupExamples()).map(([name, { value }]) => ({ name, body: value })),
  ...ERROR_CODES.map((code) => ({ name: code, body: errorExample(code) })),
];

test.each(BODIES)('$name in at most 100 columns, field by field as it was sent', ({ body }) => {
  const text = formatJson(body, Number.POSITIVE_INFINITY);
  expect(widest(text)).toBeLessThanOrEqual(COLUMNS);
  expect(withoutSpace(text)).toBe(withoutSpace(JSON.stringify(body)));
});

test('what is not shown of a list is counted', () => {
  const text = formatJson({ list: [{ a: 1 }, { a: 2 }, { a: 3 }] }, 1);
  expect(text).toBe('{\n  "list": [\n    { "a": 1 },\n    … and 2 more\n  ]\n}');
});

test('a long URL is broken before each parameter', () => {
  const { wallet } = DEMONSTRATION;
  const url = `${emulatedEndpoint()}?wallet=${wallet}&wallet=${wallet}`;
  const text = formatUrl('GET ', url);
  expect(widest(text)).toBeLessThanOrEqual(COLUMNS);
  expect(withoutSpace(text)).toBe(`GET${url}`);
});
