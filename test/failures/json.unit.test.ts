// Compares JsonArray, which parses an array while it arrives in pieces, with JSON.parse.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonArray } from '../../functions/src/google/json.ts';
import { amount } from '../support/amount.ts';

/** @returns the elements, or undefined if the text is refused */
function parseInPieces(text: string, ends: readonly number[]): unknown[] | undefined {
  // With a threshold of 1, the complete elements are parsed after every piece.
  const array = new JsonArray(1);
  const elements: unknown[] = [];
  let begin = 0;
  try {
    for (const end of [...ends, text.length]) {
      elements.push(...array.push(text.slice(begin, end)));
      begin = end;
    }
    return [...elements, ...array.end()];
  } catch {
    return undefined;
  }
}

function parseWhole(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const inPieces = (text: fc.Arbitrary<string>) =>
  text.chain((sent) =>
    fc.record({
      text: fc.constant(sent),
      ends: fc
        .array(fc.nat({ max: sent.length }), { maxLength: 6 })
        .map((all) => all.sort((a, b) => a - b)),
    }),
  );
/** Text that looks like the start of a row. */
const word = fc.constantFrom('document', '"document"', ',{"document":', '\\', '\\"', '"', 'a', '');
const name = fc.constantFrom('document', 'a', '');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    word,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const row = value.map((document) => ({ document, readTime: 'x' }));

test('arrays parse to the same values as with JSON.parse', () => {
  const array = fc
    .tuple(fc.array(fc.oneof(row, value), { maxLength: 8 }), fc.constantFrom(0, 2))
    .map(([elements, spaces]) => JSON.stringify(elements, null, spaces));
  fc.assert(
    fc.property(inPieces(array), ({ text, ends }) => {
      expect(parseInPieces(text, ends)).toEqual(parseWhole(text));
    }),
    { numRuns: amount(10_000) },
  );
});

test('text is refused if it is not exactly one array', () => {
  const pieces = [
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\',
    ',',
    ' ',
    '1',
    '{"document":1}',
    '{}',
    '{"document":',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));
  const almost = text.map((inner) => `[${inner}]`);
  fc.assert(
    fc.property(inPieces(fc.oneof(text, almost)), ({ text, ends }) => {
      expect(parseInPieces(text, ends)).toEqual(parseWhole(text));
    }),
    { numRuns: amount(20_000) },
  );
});

test('rows are returned as they arrive, and the buffered text is limited', () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    document: { index, a: 'a'.repeat(500) },
  }));
  const text = JSON.stringify(rows);
  const array = new JsonArray();
  const halfway = array.push(text.slice(0, text.length / 2));
  expect(halfway.length).toBeGreaterThan(900);
  expect([...halfway, ...array.push(text.slice(text.length / 2)), ...array.end()]).toEqual(rows);
  const chunk = 'a'.repeat(1024 ** 2);
  const endless = new JsonArray();
  expect(() => {
    for (endless.push('["'); ; ) endless.push(chunk);
  }).toThrow('the response is too long');
});
