// A document's fields as JSON that loses nothing, after the form of Firestore's REST interface:
// https://firebase.google.com/docs/firestore/reference/rest/v1/Value

import { Timestamp } from 'firebase-admin/firestore';
import * as z from 'zod';

/** One value; `timestampValue` is in two numbers, since a date would lose its nanoseconds. */
type StoredValue =
  | { readonly nullValue: null }
  | { readonly booleanValue: boolean }
  | { readonly numberValue: number }
  | { readonly stringValue: string }
  | { readonly timestampValue: { readonly seconds: number; readonly nanoseconds: number } }
  | { readonly bytesValue: string }
  | { readonly arrayValue: readonly StoredValue[] }
  | { readonly mapValue: StoredFields };

export interface StoredFields {
  readonly [name: string]: StoredValue;
}

const storedValue: z.ZodType<StoredValue> = z.union([
  z.strictObject({ nullValue: z.null() }),
  z.strictObject({ booleanValue: z.boolean() }),
  z.strictObject({ numberValue: z.number() }),
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ timestampValue: z.strictObject({ seconds: z.int(), nanoseconds: z.int() }) }),
  z.strictObject({ bytesValue: z.base64() }),
  z.strictObject({ arrayValue: z.array(z.lazy(() => storedValue)) }),
  z.strictObject({
    mapValue: z.record(
      z.string(),
      z.lazy(() => storedValue),
    ),
  }),
]);

export const storedFields: z.ZodType<StoredFields> = z.record(z.string(), storedValue);

/**
 * @param fields as the SDK reads them
 * @returns undefined when this form cannot represent a value exactly
 */
export function encodeFields(fields: Readonly<Record<string, unknown>>): StoredFields | undefined {
  const entries = Object.entries(fields)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, encode(value)] as const);
  const encoded = entries.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return encoded.length === entries.length ? Object.fromEntries(encoded) : undefined;
}

function encode(value: unknown): StoredValue | undefined {
  if (value === null) return { nullValue: null };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'string') return { stringValue: value };
  // The SDK has rounded a larger integer already; JSON has no other number than finite ones,
  // and no negative zero.
  if (typeof value === 'number') {
    const isExact = Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
    return isExact && !Object.is(value, -0) ? { numberValue: value } : undefined;
  }
  if (value instanceof Timestamp) {
    return { timestampValue: { seconds: value.seconds, nanoseconds: value.nanoseconds } };
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) {
    const values = value.map(encode);
    return values.every((one) => one !== undefined) ? { arrayValue: values } : undefined;
  }
  if (isPlainObject(value)) {
    const mapValue = encodeFields(value);
    return mapValue && { mapValue };
  }
  return undefined;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** @returns the fields as the SDK writes them */
export const decodeFields = (fields: StoredFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, decode(value)]));

function decode(value: StoredValue): unknown {
  if ('nullValue' in value) return null;
  if ('booleanValue' in value) return value.booleanValue;
  if ('numberValue' in value) return value.numberValue;
  if ('stringValue' in value) return value.stringValue;
  if ('bytesValue' in value) return Buffer.from(value.bytesValue, 'base64');
  if ('arrayValue' in value) return value.arrayValue.map(decode);
  if ('mapValue' in value) return decodeFields(value.mapValue);
  const { seconds, nanoseconds } = value.timestampValue;
  return new Timestamp(seconds, nanoseconds);
}
