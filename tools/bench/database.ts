// The benchmark's test double of Google: Firestore over REST and gRPC with prepared responses, and the metadata server.
// Runs in a separate process, because the figures must not include its cost.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import bs58 from 'bs58';
import protobuf from 'protobufjs';
import { hashApiKey, newKeyRecord } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { createCertificate } from '../doubles/certificate.ts';
import { listen } from '../sandbox/freePort.ts';

export const KEY = 'benchmark-key';
/** The numbers of attestations of the wallets. */
const SIZES = [5, 1_000, 10_000] as const;
export type Size = (typeof SIZES)[number];

const FIRESTORE = 'firestore.googleapis.com';
const KEY_ID = hashApiKey(KEY);
const FIRST_CREATED_MS = Date.UTC(2026, 0, 1);

type Fields = Readonly<Record<string, unknown>>;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const addressOf = (text: string): string => bs58.encode(hashOf(text));

export const walletOf = (size: Size): string => addressOf(`wallet with ${size}`);

/** An attestation. The attestations of a wallet have all types and both statuses. */
function attestationFields(size: Size, index: number): Fields {
  const createdAt = FIRST_CREATED_MS + index * 1_000;
  return {
    wallet: walletOf(size),
    attestationType: index % 5,
    contextHashHex: index % 5 === 0 ? '0'.repeat(64) : hashOf(`${index}`).toString('hex'),
    status: index % 7 === 6 ? 'pending' : 'confirmed',
    onChainAddress: addressOf(`attestation ${index} of ${size}`),
    createdAt: new Date(createdAt),
    syncedAt: new Date(createdAt + 2_000),
  };
}

/** Starts the process. @returns the variables that send a function's calls to it, and a function that stops it */
export async function startDatabase(): Promise<{ env: Record<string, string>; stop: () => void }> {
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [env] = await once(child.stdout, 'data');
  return { env: JSON.parse(String(env)), stop: () => child.kill() };
}

interface Prepared {
  /** Occurs only in the requests for this response. */
  readonly text: string;
  /** Framed gRPC messages. */
  readonly grpc: Buffer;
  /** JSON, indented as Google sends it without `prettyPrint=false`. */
  readonly indented: Buffer;
  readonly compact: Buffer;
}

async function serve(): Promise<void> {
  const prepared = [
    prepare(KEY_ID, 'BatchGetDocumentsResponse', 'found', [
      documentOf(COLLECTIONS.apiKeys, KEY_ID, {
        ...newKeyRecord(KEY, 'Benchmark', new Date(FIRST_CREATED_MS), 'cli'),
      }),
    ]),
    ...SIZES.map((size) => {
      const documents = Array.from({ length: size }, (_, index) => {
        const fields = attestationFields(size, index);
        return documentOf(COLLECTIONS.attestations, String(fields['onChainAddress']), fields);
      });
      return prepare(walletOf(size), 'RunQueryResponse', 'document', documents);
    }),
  ];
  const respond = async (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const body = await buffer(request);
    const found = prepared.find(({ text }) => body.includes(text));
    if (!found) throw new Error(`No prepared response matches ${body}`);
    if (request.httpVersionMajor === 2) {
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0' });
      response.end(found.grpc);
    } else {
      response.setHeader('Content-Type', 'application/json; charset=UTF-8');
      response.end(found[request.url.includes('prettyPrint=false') ? 'compact' : 'indented']);
    }
  };
  const certificate = await createCertificate([FIRESTORE]);
  // By default, Node refuses calls while a session holds 10 MB.
  const options = { ...certificate, allowHTTP1: true, maxSessionMemory: 10_000 };
  const server = createSecureServer(options, respond);
  // Ignored, because functions drop their connections when they are stopped.
  for (const event of ['sessionError', 'clientError']) server.on(event, () => undefined);
  // Tokens for the service, and the detection of the SDK.
  const metadataServer = createServer((_request, response) => {
    response.setHeader('Metadata-Flavor', 'Google');
    response.end(
      JSON.stringify({ access_token: 'token', expires_in: 3_600, token_type: 'Bearer' }),
    );
  });
  const env = {
    SERVICE_DOUBLES: JSON.stringify({ [FIRESTORE]: await listen(server) }),
    GCE_METADATA_HOST: `127.0.0.1:${await listen(metadataServer)}`,
    NODE_EXTRA_CA_CERTS: certificate.file,
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate.file,
  };
  console.log(JSON.stringify(env));
}

type Document = (timeOf: (date: Date) => unknown) => object;

/** @returns the document in the format of a given encoding of times */
function documentOf(collection: string, id: string, fields: Fields): Document {
  return (timeOf) => {
    const typed = Object.entries(fields).map(([name, value]) => {
      if (typeof value === 'string') return [name, { stringValue: value }];
      if (typeof value === 'number') return [name, { integerValue: `${value}` }];
      return [
        name,
        value instanceof Date ? { timestampValue: timeOf(value) } : { booleanValue: value },
      ];
    });
    return {
      name: `projects/demo-poh/databases/(default)/documents/${collection}/${id}`,
      fields: Object.fromEntries(typed),
      createTime: timeOf(new Date()),
      updateTime: timeOf(new Date()),
    };
  };
}

/**
 * @param type the message type of each element
 * @param field the element's field for the document
 */
function prepare(text: string, type: string, field: string, documents: Document[]): Prepared {
  const schema = protobuf.Root.fromJSON(
    createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
  ).lookupType(`google.firestore.v1.${type}`);
  const elements = (timeOf: (date: Date) => unknown): object[] =>
    documents.map((document) => ({ [field]: document(timeOf), readTime: timeOf(new Date()) }));
  const json = elements((date) => date.toISOString());
  const messages = elements((date) => ({ seconds: Math.floor(date.getTime() / 1_000), nanos: 0 }));
  const framed = messages.flatMap((element) => {
    const message = schema.encode(schema.fromObject(element)).finish();
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    return [head, message];
  });
  return {
    text,
    grpc: Buffer.concat(framed),
    indented: Buffer.from(JSON.stringify(json, null, 2)),
    compact: Buffer.from(JSON.stringify(json)),
  };
}

if (import.meta.main) await serve();
