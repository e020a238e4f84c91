import fc from 'fast-check';
import { GeoPoint, Timestamp } from 'firebase-admin/firestore';
import { expect, test } from 'vitest';
import { decodeFields, encodeFields, storedFields } from '../../admin/repair/storedFields.ts';

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.string(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }).filter((value) => !Object.is(value, -0)),
  fc
    .tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: 0, max: 999_999_999 }))
    .map(([seconds, nanoseconds]) => new Timestamp(seconds, nanoseconds)),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
/** Firestore refuses names like `__proto__`. */
const name = fc.string().filter((text) => !/^__.*__$/.test(text));
const { fields } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('fields')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  fields: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

test('any fields come back from JSON as they were', () => {
  fc.assert(
    fc.property(fields, (stored) => {
      const encoded = encodeFields(stored as Record<string, unknown>);
      const read = storedFields.parse(JSON.parse(JSON.stringify(encoded)));
      expect(read).toStrictEqual(JSON.parse(JSON.stringify(encoded)));
      expect(decodeFields(read)).toEqual(stored);
    }),
  );
});

test.each([
  ['a place', new GeoPoint(47, 8)],
  ['a number that JSON does not have', Number.NaN],
  ['another one', -0],
  ['an integer that was rounded', 2 ** 53 + 2],
  ['one of them in a list in a map', { list: [1, new GeoPoint(47, 8)] }],
])('%s is not encoded', (_, value) => {
  expect(encodeFields({ sound: 1, value })).toBeUndefined();
});

test('the same fields are the same text, in whatever order they were read', () => {
  const [a, b] = [
    encodeFields({ x: 1, y: { b: 1, a: 2 } }),
    encodeFields({ y: { a: 2, b: 1 }, x: 1 }),
  ];
  expect(JSON.stringify(a)).toBe(JSON.stringify(b));
});
