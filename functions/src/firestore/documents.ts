// Reads a document as Firestore sends it, straight into JavaScript's own values.

import type { Stored } from '../../../records/storedValues.ts';
import { fixed64, lengthDelimited, type Reader, readEnd, skip, varint } from './wireFormat.ts';

export interface WireDocument {
  /** Its full resource name. */
  readonly name: string;
  /**
   * Text, numbers, booleans and instants (`toMillis`, as the SDK's). A value of another kind is null:
   * no record of ours has one.
   */
  readonly fields: Stored;
}

/** Fields of google.firestore.v1.Document, and of the entries of its map. */
const NAME = lengthDelimited(1);
const FIELD = lengthDelimited(2);
const KEY = lengthDelimited(1);
const VALUE = lengthDelimited(2);

/** Fields of google.firestore.v1.Value. */
const BOOLEAN = varint(1);
const INTEGER = varint(2);
const DOUBLE = fixed64(3);
const TIMESTAMP = lengthDelimited(10);
const STRING = lengthDelimited(17);

/** Fields of google.protobuf.Timestamp. */
const SECONDS = varint(1);
const NANOS = varint(2);

/** @param reader stands before the document's length */
export function readDocument(reader: Reader): WireDocument {
  const end = readEnd(reader);
  const fields: Record<string, unknown> = {};
  let name = '';
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === FIELD) readField(reader, fields);
    else if (tag === NAME) name = reader.string();
    else skip(reader, tag);
  }
  return { name, fields };
}

function readField(reader: Reader, fields: Record<string, unknown>): void {
  const end = readEnd(reader);
  let key = '';
  let value: unknown = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === KEY) key = reader.string();
    else if (tag === VALUE) value = readValue(reader);
    else skip(reader, tag);
  }
  fields[key] = value;
}

function readValue(reader: Reader): unknown {
  const end = readEnd(reader);
  let value: unknown = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === STRING) value = reader.string();
    else if (tag === TIMESTAMP) value = readInstant(reader);
    else if (tag === INTEGER) value = readInteger(reader);
    else if (tag === BOOLEAN) value = reader.bool();
    else if (tag === DOUBLE) value = reader.double();
    else skip(reader, tag);
  }
  return value;
}

function readInstant(reader: Reader): Instant {
  const end = readEnd(reader);
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === SECONDS) seconds = readInteger(reader);
    else if (tag === NANOS) nanos = reader.int32();
    else skip(reader, tag);
  }
  return new Instant(seconds * 1_000 + Math.floor(nanos / 1_000_000));
}

function readInteger(reader: Reader): number {
  const { high, low } = reader.int64();
  return high * 2 ** 32 + (low >>> 0);
}

class Instant {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @returns milliseconds since the epoch, rounded down, as by the SDK */
  toMillis(): number {
    return this.#ms;
  }
}
