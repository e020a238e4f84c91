// Compares the fields that the function and the SDK read from the same JSON, which a stand-in for Firestore sends.

import { createServer } from 'node:http';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import fc from 'fast-check';
import { GoogleAuth, PassThroughClient } from 'google-auth-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { readFields } from '../../functions/src/google/storedFields.ts';
import { StandIn } from '../../tools/doubles/standIn.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { amount } from '../support/amount.ts';

const PROJECT = 'demo-poh';
const PATH = 'apiKeys/a';
const NAME = `projects/${PROJECT}/databases/(default)/documents/${PATH}`;
const TIME = '2026-11-22T00:00:00.000001Z';

let fields: object = {};
const standIn = new StandIn(() => {
  const found = { name: NAME, fields, createTime: TIME, updateTime: TIME };
  return { status: 200, body: JSON.stringify([{ found, readTime: TIME }]) };
});
const server = createServer(standIn.serve);
let readOurs: () => Promise<unknown>;
let readSdks: () => Promise<Record<string, unknown> | undefined>;
let sdk: Firestore;

beforeAll(async () => {
  const port = await listen(server);
  const account = { projectId: PROJECT, authorize: async () => ({ headers: {} }) };
  const ours = openFirestore(account, `127.0.0.1:${port}`);
  readOurs = () => ours.readDocument(PATH, new AbortController().signal);
  const address = { host: `127.0.0.1:${port}`, ssl: false };
  const auth = new GoogleAuth({ authClient: new PassThroughClient() });
  sdk = new Firestore({ ...address, projectId: PROJECT, preferRest: true, auth });
  readSdks = async () => (await sdk.doc(PATH).get()).data();
});
afterAll(async () => {
  await sdk.terminate();
  server.closeAllConnections();
  server.close();
});

/** @returns a value that a lookup can use, in a comparable form; null for any other value */
function usable(value: unknown): unknown {
  if (value instanceof Timestamp) return { ms: value.toMillis() };
  const instant = value as { toMillis?: unknown } | null;
  if (typeof instant?.toMillis === 'function') return { ms: instant.toMillis() };
  return typeof value === 'object' ? null : value;
}
const usableOf = (read: object | undefined) =>
  Object.entries(read ?? {})
    .map(([name, value]) => [name, usable(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

const instant = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .chain((date) =>
    fc.constantFrom('Z', '.5Z', '.123Z', '.005600Z', '.999999999Z').map((end) => ({
      timestampValue: date.toISOString().slice(0, 19) + end,
    })),
  );
const value = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => ({ stringValue: text.toWellFormed() })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((all) => ({ integerValue: `${all}` })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => ({ doubleValue: double })),
  fc.constantFrom('NaN', 'Infinity', '-Infinity').map((double) => ({ doubleValue: double })),
  fc.boolean().map((boolean) => ({ booleanValue: boolean })),
  instant,
  fc.constantFrom(
    { nullValue: null },
    { bytesValue: 'AA==' },
    { arrayValue: {} },
    { arrayValue: { values: [{ integerValue: '1' }] } },
    { mapValue: { fields: { wallet: { stringValue: 'x' } } } },
    { geoPointValue: { latitude: 1, longitude: 2 } },
  ),
);
const name = fc.oneof(
  // The SDK loses a field named __proto__.
  fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.toWellFormed())
    .filter((text) => text !== '__proto__'),
  fc.constantFrom('active', 'constructor', 'toString', 'hasOwnProperty', '0', '1e3'),
);

test('random documents are read as the SDK reads them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { noNullPrototype: true }), async (sent) => {
      fields = sent;
      expect(usableOf(Object(await readOurs()))).toEqual(usableOf(await readSdks()));
    }),
    { numRuns: amount(1_000) },
  );
});

test('a field named __proto__ does not set the prototype', () => {
  const sent = JSON.parse('{"__proto__": {"booleanValue": true}, "a": {"stringValue": "b"}}');
  const stored = readFields(sent);
  expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
  expect(Object.entries(stored).sort()).toEqual([
    ['__proto__', true],
    ['a', 'b'],
  ]);
});

const read = (sent: object) => readFields({ field: sent })['field'];

describe('timestamps', () => {
  test.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.500Z', '1969-12-31T23:59:59.500Z'],
    ['2026-09-03T12:00:00.0059Z', '2026-09-03T12:00:00.005Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (timestampValue, iso) => {
    const instant = read({ timestampValue });
    const { toMillis } = instant as { toMillis(): number };
    expect(new Date(toMillis.call(instant)).toISOString()).toBe(iso);
  });

  test.each([
    '0000-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.0000000001Z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01',
    '',
  ])('%j is refused', (timestampValue) => {
    expect(() => read({ timestampValue })).toThrow('a value does not match its type');
  });
});

describe('a value of a type that records do not use is read as null', () => {
  test.each([
    { nullValue: null },
    { mapValue: { fields: { toMillis: { stringValue: 'x' } } } },
    { arrayValue: { values: [{ stringValue: 'x' }] } },
    { referenceValue: NAME },
    { vectorValue: 1 },
    {},
  ])('%j', (sent) => {
    expect(read(sent)).toBeNull();
  });
});
