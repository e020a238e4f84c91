// A name server that resolves every name to the same IPv4 address, which can be changed.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer extends Disposable {
  /** The address that queries get; undefined if they get no answer. */
  address: string | undefined;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** Name servers in resolv.conf are always on this port. */
export const NAME_PORT = 53;

/** @param at the address of this machine on which it listens */
export async function createNameServer(at: string): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address: client }) => {
    if (server.address) socket.send(response(query, server.address), port, client);
  });
  socket.bind(NAME_PORT, at).unref();
  await once(socket, 'listening');
  const server: NameServer = { address: '127.0.0.1', [Symbol.dispose]: () => socket.close() };
  return server;
}

/** Repeats the query's id and question, and adds the address if the query is for one (RFC 1035). */
function response(query: Buffer, address: string): Buffer {
  const endOfName = query.indexOf(0, HEADER_BYTES) + 1;
  const question = query.subarray(HEADER_BYTES, endOfName + 4);
  const hasAnswer = query.readUInt16BE(endOfName) === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  // A response, with recursion desired and available.
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  // A pointer to the question's name, type A, class IN, a TTL of 0, 4 bytes of data.
  const record = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4];
  const answer = [...record, ...address.split('.').map(Number)];
  return Buffer.concat([header, question, Buffer.from(hasAnswer ? answer : [])]);
}
