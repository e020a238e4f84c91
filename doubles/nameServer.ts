// A name server with one IPv4 address for every name, which can be changed.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { portOf } from '../sandbox/freePort.ts';

export interface NameServer {
  /** host:port */
  readonly host: string;
  /** How many queries for an address have arrived. */
  queries(): number;
  /** @param address the answer from now on, such as 127.0.0.2 */
  setAddress(address: string): void;
  close(): void;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

export async function createNameServer(firstAddress: string): Promise<NameServer> {
  let address = firstAddress;
  let queries = 0;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address: asker }) => {
    queries += 1;
    socket.send(response(query, address), port, asker);
  });
  socket.bind(0, '127.0.0.1').unref();
  await once(socket, 'listening');
  return {
    host: `127.0.0.1:${portOf(socket)}`,
    queries: () => queries,
    setAddress(newAddress) {
      address = newAddress;
    },
    close: () => socket.close(),
  };
}

/** RFC 1035: the query's id and question, and the address where one is requested. */
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
  // The name of the question, type A, class IN, to be kept for no time, 4 bytes.
  const record = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4];
  const answer = [...record, ...address.split('.').map(Number)];
  return Buffer.concat([header, question, Buffer.from(hasAnswer ? answer : [])]);
}
