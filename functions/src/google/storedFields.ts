// Converts the fields of a document from Firestore's JSON (google.firestore.v1.Value) to JavaScript values.

import type { Stored } from '../../../records/storedValues.ts';
import { UnusableResponse } from './googleError.ts';

const SECONDS_LENGTH = '2026-01-01T00:00:00'.length;
const MS_DIGITS = 3;
const INTEGER = /^-?\d{1,19}$/;
const SPECIAL_DOUBLES: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);
/** RFC 3339 in UTC. The years are 1 to 9999, as in google.protobuf.Timestamp. */
const TIMESTAMP =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?Z$/;

/**
 * @param fields as Firestore sends them, for example `{"active": {"booleanValue": true}}`
 * @returns text, numbers, booleans and instants; null for any other kind, which our records do not have
 */
export function readFields(fields: unknown): Stored {
  const stored: Record<string, unknown> = {};
  const sent = Object(fields);
  for (const name in sent) {
    let kinds = 0;
    let value: unknown = null;
    // A lookup may have many thousands of values, and this is faster than Object.keys.
    for (const kind in sent[name]) {
      kinds += 1;
      value = readValue(kind, sent[name][kind]);
    }
    if (kinds > 1) rejectValue();
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(stored, name, { value, enumerable: true });
    else stored[name] = value;
  }
  return stored;
}

function readValue(kind: string, value: unknown): unknown {
  switch (kind) {
    case 'stringValue':
      return typeof value === 'string' ? value : rejectValue();
    case 'timestampValue':
      return typeof value === 'string' ? readInstant(value) : rejectValue();
    case 'integerValue':
      return typeof value === 'string' && INTEGER.test(value) ? Number(value) : rejectValue();
    case 'booleanValue':
      return typeof value === 'boolean' ? value : rejectValue();
    case 'doubleValue':
      return typeof value === 'number' || SPECIAL_DOUBLES.has(value)
        ? Number(value)
        : rejectValue();
    default:
      return null;
  }
}

function readInstant(text: string): Instant {
  if (!TIMESTAMP.test(text)) rejectValue();
  const fraction = text.slice(SECONDS_LENGTH + 1, -1).slice(0, MS_DIGITS);
  return new Instant(`${text.slice(0, SECONDS_LENGTH)}.${fraction.padEnd(MS_DIGITS, '0')}Z`);
}

/**
 * A timestamp, rounded down to milliseconds. It is kept as text, because Firestore sends it as text and
 * so do we.
 */
class Instant {
  readonly #iso: string;

  constructor(iso: string) {
    this.#iso = iso;
  }

  toISOString(): string {
    return this.#iso;
  }

  /** Like the method of the SDK's Timestamp. */
  toMillis(): number {
    return Date.parse(this.#iso);
  }
}

function rejectValue(): never {
  throw new UnusableResponse('a value does not match its type');
}
