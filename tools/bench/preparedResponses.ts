// Firestore's responses to the benchmark's requests, prepared in every format.

import { createRequire } from 'node:module';
import protobuf from 'protobufjs';
import {
  attestationDocuments,
  type FieldValue,
  KEY_ID,
  keyDocument,
  SIZES,
  type StoredDocument,
  walletOf,
} from './data.ts';

interface Response {
  /** Framed gRPC messages. */
  readonly grpc: Buffer;
  /** JSON, indented as Google sends it without `prettyPrint=false`. */
  readonly indented: Buffer;
  readonly compact: Buffer;
}

/** The prepared responses to requests that contain `text`, in two versions: complete, and without the wallet. */
const PREPARED = [
  { text: KEY_ID, ...inBothSelections('BatchGetDocumentsResponse', 'found', [keyDocument()]) },
  ...SIZES.map((size) => ({
    text: walletOf(size),
    ...inBothSelections('RunQueryResponse', 'document', attestationDocuments(size)),
  })),
];

/** @param request the body, as JSON or as a gRPC message */
export function responseTo(request: Buffer): Response {
  const prepared = PREPARED.find(({ text }) => request.includes(text));
  if (!prepared) throw new Error(`No prepared response matches ${request}`);
  // A query's filter contains `wallet` once, so a second occurrence selects the field. A request that
  // selects no fields gets all of them.
  const selectsWallet = request.indexOf('wallet') !== request.lastIndexOf('wallet');
  const requestsAll = selectsWallet || !request.includes('onChainAddress');
  return requestsAll ? prepared.complete : prepared.selected;
}

/**
 * @param type the message type of each element
 * @param field the element's field for the document
 */
function inBothSelections(type: string, field: string, documents: readonly StoredDocument[]) {
  const selected = documents.map(({ path, fields: { wallet: _, ...fields } }) => ({
    path,
    fields,
  }));
  return {
    complete: responseOf(type, field, documents),
    selected: responseOf(type, field, selected),
  };
}

function responseOf(type: string, field: string, documents: readonly StoredDocument[]): Response {
  const schema = protobuf.Root.fromJSON(
    createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
  ).lookupType(`google.firestore.v1.${type}`);
  const elements = (timeOf: (date: Date) => unknown) =>
    documents.map((document) => ({
      [field]: encodeDocument(document, timeOf),
      readTime: timeOf(new Date()),
    }));
  const json = elements((date) => date.toISOString());
  const messages = elements((date) => ({ seconds: Math.floor(date.getTime() / 1_000), nanos: 0 }));
  return {
    grpc: Buffer.concat(
      messages.flatMap((element) => inFrame(schema.encode(schema.fromObject(element)).finish())),
    ),
    indented: Buffer.from(JSON.stringify(json, null, 2)),
    compact: Buffer.from(JSON.stringify(json)),
  };
}

function encodeDocument({ path, fields }: StoredDocument, timeOf: (date: Date) => unknown) {
  const typed = (value: FieldValue) => {
    if (typeof value === 'string') return { stringValue: value };
    if (typeof value === 'number') return { integerValue: `${value}` };
    return value instanceof Date ? { timestampValue: timeOf(value) } : { booleanValue: value };
  };
  return {
    name: `projects/demo-poh/databases/(default)/documents/${path}`,
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typed(value)])),
    createTime: timeOf(new Date()),
    updateTime: timeOf(new Date()),
  };
}

function inFrame(message: Uint8Array): [Uint8Array, Uint8Array] {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return [header, message];
}
