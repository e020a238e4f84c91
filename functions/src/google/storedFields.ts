// Reads the fields of a document from Firestore's JSON (google.firestore.v1.Value) into JavaScript's own values.

import type { Stored } from '../../../records/storedValues.ts';
import { UnusableResponse } from './googleError.ts';

const INTEGER = /^-?\d{1,19}$/;
const SPECIAL_DOUBLES: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);
/** The years 1 to 9999, as in google.protobuf.Timestamp. */
const TIMESTAMP = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/**
 * @param fields names to values, each an object with one property, whose name is the value's kind
 * @returns text, numbers, booleans and instants (with `toMillis`, as the SDK's). A value of another kind is null: no
 *   record of ours has one.
 * @throws UnusableResponse when a value does not fit its kind
 */
export function readFields(fields: unknown): Stored {
  const stored: Record<string, unknown> = {};
  const sent = Object(fields);
  for (const name in sent) {
    const value = readValue(sent[name]);
    // Assigned, it would set the prototype.
    if (name === '__proto__') Object.defineProperty(stored, name, { value, enumerable: true });
    else stored[name] = value;
  }
  return stored;
}

function readValue(sent: unknown): unknown {
  const value = Object(sent);
  const [kind = '', ...others] = Object.keys(value);
  if (others.length > 0) throw misfit();
  return readKind(kind, value[kind]);
}

function readKind(kind: string, value: unknown): unknown {
  switch (kind) {
    case 'stringValue':
      return typeof value === 'string' ? value : misfit();
    case 'timestampValue':
      return typeof value === 'string' && TIMESTAMP.test(value) ? new Instant(value) : misfit();
    case 'integerValue':
      return typeof value === 'string' && INTEGER.test(value) ? Number(value) : misfit();
    case 'booleanValue':
      return typeof value === 'boolean' ? value : misfit();
    case 'doubleValue':
      return typeof value === 'number' || SPECIAL_DOUBLES.has(value) ? Number(value) : misfit();
    default:
      return null;
  }
}

function misfit(): never {
  throw new UnusableResponse('a value does not fit its kind');
}

class Instant {
  readonly #ms: number;

  constructor(text: string) {
    this.#ms = Date.parse(text);
    if (Number.isNaN(this.#ms)) misfit();
  }

  /** @returns milliseconds since the epoch, rounded down, as by the SDK */
  toMillis(): number {
    return this.#ms;
  }
}
