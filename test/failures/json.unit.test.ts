// An array that is parsed while it arrives is what JSON.parse makes of it whole, however it is split.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonArray } from '../../functions/src/google/json.ts';

/** @returns the elements, or undefined when the text is refused or not complete */
function parseInPieces(bytes: Buffer, ends: readonly number[]): unknown[] | undefined {
  const array = new JsonArray();
  const elements: unknown[] = [];
  let begin = 0;
  try {
    for (const end of [...ends, bytes.length]) {
      elements.push(...array.push(bytes.subarray(begin, end)));
      begin = end;
    }
  } catch {
    return undefined;
  }
  return array.isComplete ? elements : undefined;
}

function parseWhole(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const places = (length: number) =>
  fc.array(fc.nat({ max: length }), { maxLength: 6 }).map((all) => all.sort((a, b) => a - b));
const inPieces = (text: fc.Arbitrary<string>) =>
  text.chain((sent) => {
    const bytes = Buffer.from(sent);
    return fc.record({ bytes: fc.constant(bytes), ends: places(bytes.length) });
  });

test('any array', () => {
  const array = fc
    .tuple(fc.array(fc.jsonValue()), fc.constantFrom(0, 2))
    .map(([value, spaces]) => JSON.stringify(value, null, spaces));
  fc.assert(
    fc.property(inPieces(array), ({ bytes, ends }) => {
      expect(parseInPieces(bytes, ends)).toEqual(parseWhole(`${bytes}`));
    }),
    { numRuns: 500 },
  );
});

test('what is no array, or not one array', () => {
  const pieces = ['[', ']', '{', '}', '"', '\\', ',', ':', ' ', '\n', '1', '"a":1', '{}', 'null'];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));
  const almost = text.map((inner) => `[${inner}]`);
  fc.assert(
    fc.property(inPieces(fc.oneof(text, almost)), ({ bytes, ends }) => {
      expect(parseInPieces(bytes, ends)).toEqual(parseWhole(`${bytes}`));
    }),
    { numRuns: 20_000 },
  );
});

test('an element of megabytes is joined once, and has a limit', () => {
  const chunk = Buffer.alloc(1_000, 'a');
  const array = new JsonArray();
  array.push(Buffer.from('["'));
  for (let sent = 0; sent < 8_000; sent += 1) array.push(chunk);
  expect(array.push(Buffer.from('"]'))).toHaveLength(1);
  const endless = new JsonArray();
  endless.push(Buffer.from('["'));
  expect(() => {
    for (;;) endless.push(chunk);
  }).toThrow('the response is not a JSON array');
});
