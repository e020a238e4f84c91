// Stands for Firestore and Firebase Authentication while the code cache is made: each request gets the
// same response, so that a lookup runs through where there is no database.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs/light.js';
import { COLLECTIONS } from '../../../records/collections.ts';
import { SCHEMA } from '../firestore/messages.ts';

export const CANNED_WALLET = '11111111111111111111111111111111';
export const CANNED_TOKEN = '00000000-0000-4000-8000-000000000000';

const schema = protobuf.Root.fromJSON(SCHEMA);
const stringValue = (value: string) => ({ stringValue: value });
const now = { timestampValue: { seconds: Math.floor(Date.now() / 1_000), nanos: 0 } };

/** The fields of each collection's documents. */
const FIELDS = {
  [COLLECTIONS.apiKeys]: { active: { booleanValue: true }, project: stringValue('canned') },
  [COLLECTIONS.verificationTokens]: {
    wallet: stringValue(CANNED_WALLET),
    createdAt: now,
    revoked: { booleanValue: false },
  },
  [COLLECTIONS.attestations]: {
    wallet: stringValue(CANNED_WALLET),
    attestationType: { integerValue: 0 },
    contextHashHex: stringValue('0'.repeat(64)),
    status: stringValue('confirmed'),
    onChainAddress: stringValue(CANNED_WALLET),
    createdAt: now,
    syncedAt: now,
  },
};

function message(type: string, fields: object): Buffer {
  const bytes = schema.lookupType(`google.firestore.v1.${type}`).encode(fields).finish();
  const header = Buffer.alloc(5);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

function documentOf(name: string): object {
  const collection = Object.keys(FIELDS).find((each) => name.includes(`/${each}/`));
  return { name, fields: FIELDS[collection as keyof typeof FIELDS] };
}

export interface CannedServices {
  /** host:port of each. */
  readonly firestore: string;
  readonly auth: string;
}

export async function startCannedServices(): Promise<CannedServices> {
  const firestore = createHttp2Server();
  const request = schema.lookupType('google.firestore.v1.BatchGetDocumentsRequest');
  firestore.on('stream', (stream, headers) => {
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.once('data', (framed: Buffer) => {
      if (headers[':path']?.endsWith('/RunQuery')) {
        const document = documentOf(`/${COLLECTIONS.attestations}/canned`);
        stream.end(message('RunQueryResponse', { document }));
      } else {
        const [name] = request.toObject(request.decode(framed.subarray(5)))['documents'];
        stream.end(message('BatchGetDocumentsResponse', { found: documentOf(name) }));
      }
    });
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
