// Stands for Firestore and Firebase Authentication while the code cache is made: each request gets the
// same response, so that a lookup runs through where there is no database.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { COLLECTIONS } from '../../../records/collections.ts';
import { type Message, writeMessage } from '../firestore/wireFormat.ts';

export const CANNED_WALLET = '11111111111111111111111111111111';
export const CANNED_TOKEN = '00000000-0000-4000-8000-000000000000';

// Values as google.firestore.v1.Value has them.
const booleanValue = (value: boolean): Message => [[1, Number(value)]];
const integerValue = (value: number): Message => [[2, value]];
const timestampValue = (seconds: number): Message => [[10, [[1, seconds]]]];
const stringValue = (value: string): Message => [[17, value]];

const now = timestampValue(Math.floor(Date.now() / 1_000));

/** The fields of each collection's documents. */
const FIELDS: Record<string, Record<string, Message>> = {
  [COLLECTIONS.apiKeys]: { active: booleanValue(true), project: stringValue('canned') },
  [COLLECTIONS.verificationTokens]: {
    wallet: stringValue(CANNED_WALLET),
    createdAt: now,
    revoked: booleanValue(false),
  },
  [COLLECTIONS.attestations]: {
    wallet: stringValue(CANNED_WALLET),
    attestationType: integerValue(0),
    contextHashHex: stringValue('0'.repeat(64)),
    status: stringValue('confirmed'),
    onChainAddress: stringValue(CANNED_WALLET),
    createdAt: now,
    syncedAt: now,
  },
};

/** Fields of Document, and of the entries of its map; both responses have their document in field 1. */
const DOCUMENT_FIELDS = 2;
const ENTRY = { key: 1, value: 2 };
const RESPONSE_DOCUMENT = 1;

/** A response, framed, with a document of the first collection that the request names. */
function responseTo(request: Buffer): Buffer {
  const collection = Object.keys(FIELDS).find((name) => request.includes(name)) ?? '';
  const fields = Object.entries(FIELDS[collection] ?? {});
  const document: Message = fields.map(([name, value]) => [
    DOCUMENT_FIELDS,
    [
      [ENTRY.key, name],
      [ENTRY.value, value],
    ],
  ]);
  const bytes = writeMessage([[RESPONSE_DOCUMENT, document]]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

export interface CannedServices {
  /** host:port of each. */
  readonly firestore: string;
  readonly auth: string;
}

export async function startCannedServices(): Promise<CannedServices> {
  const firestore = createHttp2Server();
  firestore.on('stream', (stream) => {
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.once('data', (request: Buffer) => stream.end(responseTo(request)));
  });
  const user = { localId: 'canned', customAttributes: JSON.stringify({ wallet: CANNED_WALLET }) };
  const auth = createHttpServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ users: [user] }));
  });
  const listen = async (
    server: { listen(port: 0, host: string): unknown } & NodeJS.EventEmitter & {
        address(): unknown;
      },
  ) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return { firestore: await listen(firestore), auth: await listen(auth) };
}
