// The messages of google.firestore.v1 that a lookup sends and reads, by the published numbers of their
// fields; of a response only what is used. Written by hand on protobufjs's reader and writer, since
// protobufjs compiles a schema anew at each start.

import { readDocument, type WireDocument } from './documents.ts';
import { createReader, lenTag, type Message, skip, writeMessage } from './wireFormat.ts';

/** A method of Firestore's service: one request, and a stream of messages in response. */
export interface FirestoreMethod<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Uint8Array) => Response;
}

const methodPath = (name: string): string => `/google.firestore.v1.Firestore/${name}`;

export interface DocumentResponse {
  readonly found: WireDocument | undefined;
  /** Whether it says that the document does not exist. */
  readonly isMissing: boolean;
}

/** Both are full resource names. */
export interface DocumentRequest {
  readonly database: string;
  readonly document: string;
}

/** Fields of the request, and of its response. */
const BATCH_GET = { database: 1, documents: 2 };
const FOUND = lenTag(1);
const MISSING = lenTag(2);

export const batchGetDocuments: FirestoreMethod<DocumentRequest, DocumentResponse> = {
  path: methodPath('BatchGetDocuments'),
  serialize: ({ database, document }) =>
    writeMessage([
      [BATCH_GET.database, database],
      [BATCH_GET.documents, document],
    ]),
  deserialize(bytes) {
    const reader = createReader(bytes);
    let found: WireDocument | undefined;
    let isMissing = false;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === FOUND) {
        found = readDocument(reader);
      } else {
        isMissing ||= tag === MISSING;
        skip(reader, tag);
      }
    }
    return { found, isMissing };
  },
};

/** Selects the documents of a collection whose field equals this text. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  /** The fields that are read of each document. */
  readonly select: readonly string[];
}

export interface QueryRequest {
  /** The resource name of the database's documents. */
  readonly parent: string;
  readonly query: EqualityQuery;
}

export interface QueryResponse {
  readonly document: WireDocument | undefined;
}

/** Fields of the request, and of its response. */
const RUN_QUERY = { parent: 1, structuredQuery: 2 };
const DOCUMENT = lenTag(1);

export const runQuery: FirestoreMethod<QueryRequest, QueryResponse> = {
  path: methodPath('RunQuery'),
  serialize: ({ parent, query }) =>
    writeMessage([
      [RUN_QUERY.parent, parent],
      [RUN_QUERY.structuredQuery, structuredQuery(query)],
    ]),
  deserialize(bytes) {
    const reader = createReader(bytes);
    let document: WireDocument | undefined;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === DOCUMENT) document = readDocument(reader);
      else skip(reader, tag);
    }
    return { document };
  },
};

/** Fields of StructuredQuery and of the messages within it. */
const QUERY = { select: 1, from: 2, where: 3 };
const PROJECTION = { fields: 2 };
const COLLECTION_SELECTOR = { collectionId: 2 };
const FILTER = { fieldFilter: 2 };
const FIELD_FILTER = { field: 1, op: 2, value: 3 };
const FIELD_REFERENCE = { fieldPath: 2 };
const VALUE = { stringValue: 17 };
/** FieldFilter.Operator */
const EQUAL = 5;

function structuredQuery({ collection, field, equals, select }: EqualityQuery): Message {
  const fieldFilter: Message = [
    [FIELD_FILTER.field, fieldReference(field)],
    [FIELD_FILTER.op, EQUAL],
    [FIELD_FILTER.value, [[VALUE.stringValue, equals]]],
  ];
  return [
    [QUERY.select, select.map((path) => [PROJECTION.fields, fieldReference(path)] as const)],
    [QUERY.from, [[COLLECTION_SELECTOR.collectionId, collection]]],
    [QUERY.where, [[FILTER.fieldFilter, fieldFilter]]],
  ];
}

const fieldReference = (path: string): Message => [[FIELD_REFERENCE.fieldPath, path]];
