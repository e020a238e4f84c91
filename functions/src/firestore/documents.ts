// Reads a document as Firestore sends it, straight into JavaScript's own values.

import type { Stored } from '../../../records/storedValues.ts';
import { enter, i64Tag, lenTag, type Reader, skip, varintTag } from './wireFormat.ts';

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
const NAME = lenTag(1);
const FIELD = lenTag(2);
const KEY = lenTag(1);
const VALUE = lenTag(2);

/** Fields of google.firestore.v1.Value. */
const BOOLEAN = varintTag(1);
const INTEGER = varintTag(2);
const DOUBLE = i64Tag(3);
const TIMESTAMP = lenTag(10);
const STRING = lenTag(17);

/** Fields of google.protobuf.Timestamp. */
const SECONDS = varintTag(1);
const NANOS = varintTag(2);

/** @param reader stands before the document's length */
export function readDocument(reader: Reader): WireDocument {
  const outerEnd = enter(reader);
  const fields: Record<string, unknown> = {};
  let name = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === FIELD) readField(reader, fields);
    else if (tag === NAME) name = reader.string();
    else skip(reader, tag);
  }
  reader.len = outerEnd;
  return { name, fields };
}

function readField(reader: Reader, fields: Record<string, unknown>): void {
  const outerEnd = enter(reader);
  let key = '';
  let value: unknown = null;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === KEY) key = reader.string();
    else if (tag === VALUE) value = readValue(reader);
    else skip(reader, tag);
  }
  reader.len = outerEnd;
  fields[key] = value;
}

function readValue(reader: Reader): unknown {
  const outerEnd = enter(reader);
  let value: unknown = null;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === STRING) value = reader.string();
    else if (tag === TIMESTAMP) value = readInstant(reader);
    else if (tag === INTEGER) value = readInteger(reader);
    else if (tag === BOOLEAN) value = reader.bool();
    else if (tag === DOUBLE) value = reader.double();
    else skip(reader, tag);
  }
  reader.len = outerEnd;
  return value;
}

function readInstant(reader: Reader): Instant {
  const outerEnd = enter(reader);
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === SECONDS) seconds = readInteger(reader);
    else if (tag === NANOS) nanos = reader.int32();
    else skip(reader, tag);
  }
  reader.len = outerEnd;
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
