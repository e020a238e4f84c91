// Protocol Buffers' wire format: the tags of fields, and writing a message.

import protobuf from 'protobufjs/minimal.js';

const { Reader, Writer } = protobuf;
export type Reader = protobuf.Reader;

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const WIRE_TYPE_BITS = 3;

/** What a field begins with, by its number and the type that it has on the wire. */
export const varint = (field: number): number => (field << WIRE_TYPE_BITS) | VARINT;
export const fixed64 = (field: number): number => (field << WIRE_TYPE_BITS) | FIXED_64;
export const lengthDelimited = (field: number): number =>
  (field << WIRE_TYPE_BITS) | LENGTH_DELIMITED;

export const createReader = (bytes: Uint8Array): Reader => Reader.create(bytes);

/** Reads the length that a message begins with. @returns the position behind its end */
export const readEnd = (reader: Reader): number => reader.uint32() + reader.pos;

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
    if (typeof value === 'number') writer.uint32(varint(field)).int64(value);
    else if (typeof value === 'string') writer.uint32(lengthDelimited(field)).string(value);
    else append(writer.uint32(lengthDelimited(field)).fork(), value).ldelim();
  }
  return writer;
}
