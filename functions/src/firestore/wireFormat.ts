// Protocol Buffers' wire format: the tags of fields, and writing a message.

import protobuf from 'protobufjs/minimal.js';

const { Reader, Writer } = protobuf;
export type Reader = protobuf.Reader;

const VARINT = 0;
const I64 = 1;
const LEN = 2;
const WIRE_TYPE_BITS = 3;

/** A field's tag: its number, and the type that it has on the wire. */
export const varintTag = (field: number): number => (field << WIRE_TYPE_BITS) | VARINT;
export const i64Tag = (field: number): number => (field << WIRE_TYPE_BITS) | I64;
export const lenTag = (field: number): number => (field << WIRE_TYPE_BITS) | LEN;

export const createReader = (bytes: Uint8Array): Reader => Reader.create(bytes);

/**
 * Enters the message that the reader stands before: nothing is read past its end, until the reader's
 * `len` is set back.
 *
 * @returns the end of the message around it
 * @throws RangeError when it is longer than that one
 */
export function enter(reader: Reader): number {
  const end = reader.uint32() + reader.pos;
  const outerEnd = reader.len;
  if (end > outerEnd) throw new RangeError('index out of range: a message ends after its parent');
  reader.len = end;
  return outerEnd;
}

/** Skips a field that is not of interest. */
export const skip = (reader: Reader, tag: number): unknown =>
  reader.skipType(tag & ((1 << WIRE_TYPE_BITS) - 1));

/** A message to be written: its fields in their order, each with its number. */
export type Message = readonly (readonly [field: number, value: string | number | Message])[];

/** A number is written as a varint, as booleans, enumerations and integers of all sizes are. */
export const writeMessage = (message: Message): Buffer =>
  Buffer.from(append(Writer.create(), message).finish());

function append(writer: protobuf.Writer, message: Message): protobuf.Writer {
  for (const [field, value] of message) {
    if (typeof value === 'number') writer.uint32(varintTag(field)).int64(value);
    else if (typeof value === 'string') writer.uint32(lenTag(field)).string(value);
    else append(writer.uint32(lenTag(field)).fork(), value).ldelim();
  }
  return writer;
}
