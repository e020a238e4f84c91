// What a lookup sends and reads, against Firestore's published schema.

import { createRequire } from 'node:module';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { batchGetDocuments, runQuery } from '../../functions/src/firestore/messages.ts';

const published = protobuf.Root.fromJSON(
  createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
).resolveAll();
const typeOf = (name: string) => published.lookupType(`google.firestore.v1.${name}`);

/** Writes a message by the published schema. */
const write = (name: string, message: object): Uint8Array =>
  typeOf(name).encode(typeOf(name).fromObject(message)).finish();

/** Reads a message by the published schema. */
const read = (name: string, bytes: Uint8Array): object =>
  typeOf(name).toObject(typeOf(name).decode(bytes), { enums: String });

describe('a request is what the published schema reads', () => {
  test('BatchGetDocuments', () => {
    const bytes = batchGetDocuments.serialize({ database: 'd', document: 'd/documents/é/🙂' });
    expect(read('BatchGetDocumentsRequest', bytes)).toStrictEqual({
      database: 'd',
      documents: ['d/documents/é/🙂'],
    });
  });

  test('RunQuery', () => {
    const query = { collection: 'c', field: 'f', equals: 'é🙂', select: ['a', 'b'] };
    expect(read('RunQueryRequest', runQuery.serialize({ parent: 'p', query }))).toStrictEqual({
      parent: 'p',
      structuredQuery: {
        select: { fields: [{ fieldPath: 'a' }, { fieldPath: 'b' }] },
        from: [{ collectionId: 'c' }],
        where: {
          fieldFilter: {
            field: { fieldPath: 'f' },
            op: 'EQUAL',
            value: { stringValue: 'é🙂' },
          },
        },
      },
    });
  });
});

/** The value of a field that the published schema has written. */
function readValue(value: object): unknown {
  const document = { name: 'n', fields: { field: value } };
  const response = runQuery.deserialize(write('RunQueryResponse', { document }));
  return response.document?.fields['field'];
}

describe('a stored value', () => {
  test.each([
    ['text', { stringValue: 'héé🙂' }, 'héé🙂'],
    ['empty text', { stringValue: '' }, ''],
    ['zero', { integerValue: 0 }, 0],
    ['a negative number', { integerValue: -7 }, -7],
    ['a number past 32 bits', { integerValue: '4294967296' }, 2 ** 32],
    ['the highest number', { integerValue: '9223372036854775807' }, 2 ** 63],
    ['the lowest number', { integerValue: '-9223372036854775808' }, -(2 ** 63)],
    ['a double', { doubleValue: 1.5 }, 1.5],
    ['true', { booleanValue: true }, true],
    ['false', { booleanValue: false }, false],
    ['null', { nullValue: 0 }, null],
    ['a map', { mapValue: { fields: { a: { stringValue: 'x' } } } }, null],
    ['a list', { arrayValue: { values: [] } }, null],
    ['bytes', { bytesValue: 'AA==' }, null],
    ['a reference', { referenceValue: 'x' }, null],
    ['a place', { geoPointValue: { latitude: 1, longitude: 2 } }, null],
  ])('%s', (_, value, expected) => {
    expect(readValue(value)).toStrictEqual(expected);
  });

  test.each([
    ['1970-01-01T00:00:00.000Z', 0, 0],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_000_000],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_600_000],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_999_999],
    ['1969-12-31T23:59:59.500Z', -1, 500_000_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799, 999_999_999],
  ])('the instant %s', (expected, seconds, nanos) => {
    const instant = readValue({ timestampValue: { seconds, nanos } });
    const { toMillis } = instant as { toMillis(): number };
    expect(new Date(toMillis.call(instant)).toISOString()).toBe(expected);
  });
});

/** Values as they are sent, each with what it is read as. */
const value = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => ({ sent: { stringValue: text }, value: text })),
  fc.maxSafeInteger().map((integer) => ({ sent: { integerValue: integer }, value: integer })),
  fc.double().map((double) => ({ sent: { doubleValue: double }, value: double })),
  fc.boolean().map((boolean) => ({ sent: { booleanValue: boolean }, value: boolean })),
  fc.constant({ sent: { mapValue: { fields: { a: { stringValue: 'x' } } } }, value: null }),
);
const fieldName = fc.string({ unit: 'grapheme' }).filter((name) => !name.startsWith('__'));
const document = fc.dictionary(fieldName, value, { noNullPrototype: true });

test('a document is read as it was written, among fields that a lookup does not know', () => {
  const time = { seconds: 1_788_436_800, nanos: 1 };
  fc.assert(
    fc.property(document, (fields) => {
      const sent = {
        name: 'n',
        fields: Object.fromEntries(Object.entries(fields).map(([name, { sent }]) => [name, sent])),
        createTime: time,
        updateTime: time,
      };
      const expected = {
        name: 'n',
        fields: Object.fromEntries(
          Object.entries(fields).map(([name, { value }]) => [name, value]),
        ),
      };
      const queried = { transaction: 'AA==', document: sent, readTime: time, skippedResults: 3 };
      expect(runQuery.deserialize(write('RunQueryResponse', queried)).document).toEqual(expected);
      const got = { transaction: 'AA==', found: sent, readTime: time };
      expect(batchGetDocuments.deserialize(write('BatchGetDocumentsResponse', got))).toEqual({
        found: expected,
        isMissing: false,
      });
    }),
    { numRuns: 1_000 },
  );
});

const everyKind = write('RunQueryResponse', {
  document: {
    name: 'n',
    fields: {
      text: { stringValue: 'é🙂' },
      none: { stringValue: '' },
      integer: { integerValue: 200_000_000 },
      negative: { integerValue: -1 },
      double: { doubleValue: 1.5 },
      instant: { timestampValue: { seconds: 1_788_436_800, nanos: 5_000_000 } },
      past: { timestampValue: { seconds: -1, nanos: -5_600_000 } },
      boolean: { booleanValue: true },
    },
  },
});

test('a response that is cut off is refused', () => {
  for (let length = 1; length < everyKind.length; length += 1) {
    expect(() => runQuery.deserialize(everyKind.subarray(0, length))).toThrow(RangeError);
  }
});

describe('what ends after the message around it is refused', () => {
  const text = Buffer.from('8a010161', 'hex');
  const instant = Buffer.from('520408011001', 'hex');
  /** A field with a message in it, whose length is said to be longer than it is. */
  const field = (number: number, message: Uint8Array, excess = 0): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, message.length + excess]), message]);
  const entry = (value: Uint8Array, excess = 0): Buffer =>
    Buffer.concat([field(1, Buffer.from('k')), field(2, value, excess)]);
  const response = (first: Buffer): Buffer =>
    field(1, Buffer.concat([first, field(2, entry(text)), field(1, Buffer.from('n'))]));

  test('the bytes are sound without an excess', () => {
    const document = runQuery.deserialize(response(field(2, entry(instant)))).document;
    expect(document).toMatchObject({ name: 'n', fields: { k: 'a' } });
  });

  test.each([
    ['a document', field(1, field(2, entry(text)), 1)],
    ['an entry', field(1, field(2, entry(text), 1))],
    ['a value', response(field(2, entry(text, 4)))],
    ['an instant', response(field(2, entry(Buffer.from('520808011001', 'hex'))))],
    ['an integer', response(field(2, entry(Buffer.from('10ff', 'hex'))))],
    [
      'a boolean, and what follows fits',
      response(
        field(2, Buffer.concat([entry(Buffer.from('08ff', 'hex')), Buffer.from('001805', 'hex')])),
      ),
    ],
    ['the nanoseconds', response(field(2, entry(Buffer.from('520210ff', 'hex'))))],
    ['a tag', response(field(2, entry(Buffer.from('8a', 'hex'))))],
    ['a double', response(field(2, entry(Buffer.from('1900000000', 'hex'))))],
    ['an unknown field', response(field(2, entry(Buffer.from('3209', 'hex'))))],
  ])('%s', (_, bytes) => {
    expect(() => runQuery.deserialize(bytes)).toThrow(RangeError);
  });
});

test('a document without fields, a missing document, and no document', () => {
  const empty = write('RunQueryResponse', { document: { name: 'n' } });
  expect(runQuery.deserialize(empty)).toStrictEqual({ document: { name: 'n', fields: {} } });
  const missing = write('BatchGetDocumentsResponse', { missing: 'n' });
  expect(batchGetDocuments.deserialize(missing)).toStrictEqual({
    found: undefined,
    isMissing: true,
  });
  expect(batchGetDocuments.deserialize(Buffer.alloc(0))).toStrictEqual({
    found: undefined,
    isMissing: false,
  });
  expect(runQuery.deserialize(write('RunQueryResponse', { readTime: {} }))).toStrictEqual({
    document: undefined,
  });
});
