// Firestore's responses to the benchmark's requests, prepared in each of the forms in which they are sent.

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
  /** gRPC's framed messages. */
  readonly grpc: Buffer;
  /** JSON, indented as Google sends it unless the request says `prettyPrint=false`. */
  readonly indented: Buffer;
  readonly compact: Buffer;
}

/** The response to each request that contains a text, with all fields and without the wallet. */
const PREPARED = [
  { text: KEY_ID, ...inBothForms('BatchGetDocumentsResponse', 'found', [keyDocument()]) },
  ...SIZES.map((size) => ({
    text: walletOf(size),
    ...inBothForms('RunQueryResponse', 'document', attestationDocuments(size)),
  })),
];

/** @param request its body, JSON or gRPC's message */
export function responseTo(request: Buffer): Response {
  const prepared = PREPARED.find(({ text }) => request.includes(text));
  if (!prepared) throw new Error(`No response is prepared for ${request}`);
  // The filter names the wallet too. A query that selects nothing wants all fields.
  const selectsWallet = request.indexOf('wallet') !== request.lastIndexOf('wallet');
  const wantsAll = selectsWallet || !request.includes('onChainAddress');
  return wantsAll ? prepared.whole : prepared.selected;
}

/** @param type the message of each element, and @param field its field that holds the document */
function inBothForms(type: string, field: string, documents: readonly StoredDocument[]) {
  const selected = documents.map(({ path, fields: { wallet: _, ...fields } }) => ({
    path,
    fields,
  }));
  return {
    whole: responseOf(type, field, documents),
    selected: responseOf(type, field, selected),
  };
}

function responseOf(type: string, field: string, documents: readonly StoredDocument[]): Response {
  const schema = protobuf.Root.fromJSON(
    createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
  ).lookupType(`google.firestore.v1.${type}`);
  const elements = (timeOf: (date: Date) => unknown) =>
    documents.map((document) => ({
      [field]: storedForm(document, timeOf),
      readTime: timeOf(new Date()),
    }));
  const json = elements((date) => date.toISOString());
  const messages = elements((date) => ({ seconds: Math.floor(date.getTime() / 1_000), nanos: 0 }));
  return {
    grpc: Buffer.concat(
      messages.flatMap((element) => framed(schema.encode(schema.fromObject(element)).finish())),
    ),
    indented: Buffer.from(JSON.stringify(json, null, 2)),
    compact: Buffer.from(JSON.stringify(json)),
  };
}

function storedForm({ path, fields }: StoredDocument, timeOf: (date: Date) => unknown) {
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

function framed(message: Uint8Array): [Uint8Array, Uint8Array] {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return [header, message];
}
