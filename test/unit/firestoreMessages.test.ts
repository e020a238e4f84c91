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
  fc.double({ noNaN: true }).map((double) => ({ sent: { doubleValue: double }, value: double })),
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

test('a truncated response is refused, and so are bytes that are no message', () => {
  const bytes = write('RunQueryResponse', {
    document: { name: 'n', fields: { a: { stringValue: 'x' } } },
  });
  for (let length = 1; length < bytes.length; length += 1) {
    expect(() => runQuery.deserialize(bytes.subarray(0, length))).toThrow(/index out of range/);
  }
  expect(() => runQuery.deserialize(Buffer.from([0x0f]))).toThrow(/invalid wire type/);
});

test('a missing document, and no document', () => {
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
