import { createRequire } from 'node:module';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import {
  batchGetDocuments,
  equalityQuery,
  runQuery,
  SCHEMA,
} from '../../functions/src/firestore/messages.ts';
import { fieldsOf } from '../../functions/src/firestore/values.ts';

const published = protobuf.Root.fromJSON(
  createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
).resolveAll();
const ours = protobuf.Root.fromJSON(SCHEMA).resolveAll();

function typesIn(object: protobuf.ReflectionObject): protobuf.Type[] {
  const { nestedArray = [] } = object as Partial<protobuf.NamespaceBase>;
  return [...(object instanceof protobuf.Type ? [object] : []), ...nestedArray.flatMap(typesIn)];
}

/** What decides how a field is written: an enumeration is written as its number. */
function wireForm(field: protobuf.Field | undefined) {
  const { id, repeated, resolvedType, type } = field ?? {};
  const key = field instanceof protobuf.MapField ? field.keyType : undefined;
  const kind = resolvedType instanceof protobuf.Enum ? 'int32' : resolvedType?.fullName;
  return { id, repeated, key, kind: kind ?? type };
}

const FIELDS = typesIn(ours).flatMap(({ fullName, fieldsArray }) =>
  fieldsArray.map((field) => ({ type: fullName, name: field.name, field })),
);

test.each(FIELDS)('$type has $name as published', ({ type, name, field }) => {
  expect(wireForm(field)).toStrictEqual(wireForm(published.lookupType(type).fields[name]));
});

test('the operator is the published one', () => {
  const query = equalityQuery({ collection: 'c', field: 'f', equals: 'x', select: [] });
  const operators = published.lookupEnum(
    'google.firestore.v1.StructuredQuery.FieldFilter.Operator',
  );
  expect(query).toHaveProperty('where.fieldFilter.op', operators.values['EQUAL']);
});

const Response = published.lookupType('google.firestore.v1.RunQueryResponse');
/** Writes a document with the published schema and reads it with ours. */
function read(fields: object) {
  const document = { name: 'n', fields };
  const bytes = Response.encode(Response.fromObject({ document })).finish();
  const response = runQuery.deserialize(Buffer.from(bytes));
  return response.document && fieldsOf(response.document);
}

describe('a stored value', () => {
  test.each([
    ['text', { stringValue: 'héé🙂' }, 'héé🙂'],
    ['empty text', { stringValue: '' }, ''],
    ['zero', { integerValue: 0 }, 0],
    ['a negative number', { integerValue: -7 }, -7],
    ['a number past 32 bits', { integerValue: '4294967296' }, 2 ** 32],
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
    expect(read({ field: value })).toStrictEqual({ field: expected });
  });

  test.each([
    ['1970-01-01T00:00:00.000Z', 0, 0],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_000_000],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_600_000],
    ['2026-09-03T12:00:00.005Z', 1_788_436_800, 5_999_999],
    ['1969-12-31T23:59:59.500Z', -1, 500_000_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799, 999_999_999],
  ])('the instant %s', (expected, seconds, nanos) => {
    const instant = read({ at: { timestampValue: { seconds, nanos } } })?.['at'];
    const { toMillis } = instant as { toMillis(): number };
    expect(new Date(toMillis.call(instant)).toISOString()).toBe(expected);
  });
});

test('a document without fields, and no document', () => {
  expect(read({})).toStrictEqual({});
  expect(batchGetDocuments.deserialize(Buffer.alloc(0)).found).toBeNull();
});
