// Faults of a front end: what it may do to a call to Firestore instead of completing it.

import { constants, type ServerHttp2Stream } from 'node:http2';
import type { CallFault } from './firestoreFrontEnd.ts';

export const GRPC_HEADERS = { ':status': 200, 'content-type': 'application/grpc' } as const;

/** The response's headers are sent, and then this happens. */
const afterHeaders =
  (happen: (call: ServerHttp2Stream) => void): CallFault =>
  (call) => {
    call.respond(GRPC_HEADERS);
    // Sent together with the headers, a reset would overtake them.
    setImmediate(() => setImmediate(() => happen(call)));
  };

/** @param code an HTTP/2 error code */
export const resetAfterHeaders = (code: number): CallFault =>
  afterHeaders((call) => call.close(code));

export const connectionLostAfterHeaders = afterHeaders((call) => call.session?.socket.destroy());

/** The response is cut off after its first bytes. */
export const cutOff: CallFault = (call, pass) => {
  pass().once('data', () => setImmediate(() => call.close(constants.NGHTTP2_INTERNAL_ERROR)));
};

/** @param status a gRPC status */
export const refuse =
  (status: number): CallFault =>
  (call) =>
    call.respond({ ...GRPC_HEADERS, 'grpc-status': `${status}` }, { endStream: true });

/**
 * The connection takes no more calls, and those after `lastStream` are not processed.
 *
 * @param code an HTTP/2 error code
 */
export const goAway =
  (code: number, lastStream: number, reason = ''): CallFault =>
  (call, pass) => {
    call.session?.goaway(code, lastStream, Buffer.from(reason));
    pass();
  };

/** There is no response. */
export const unanswered: CallFault = () => undefined;

/** The response begins this much later. */
export const delayed =
  (ms: number): CallFault =>
  (call, pass) => {
    setTimeout(() => call.destroyed || pass(), ms);
  };

/** The response is one message without a document, of so many bytes. */
export const emptyMessage =
  (bytes: number): CallFault =>
  (call) => {
    call.respond(GRPC_HEADERS, { waitForTrailers: true });
    call.on('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
    call.end(framed(unknownField(bytes)));
  };

/** gRPC's framing of a message that is not compressed. */
export function framed(message: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** A field of Protocol Buffers that no message of Firestore's has: number 2000, of so many bytes. */
function unknownField(bytes: number): Buffer {
  return Buffer.concat([varint((2_000 << 3) | 2), varint(bytes), Buffer.alloc(bytes)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
