// Firestore's messages: the part of google.firestore.v1 that a lookup sends and reads. Other fields of a
// response are skipped while it is decoded.

import protobuf from 'protobufjs/light.js';
import { compileSeparately } from './compileSeparately.ts';
import type { WireDocument } from './values.ts';

const field = (id: number, type: string) => ({ id, type });
const byName = (id: number, type: string): protobuf.IMapField => ({ id, type, keyType: 'string' });
const repeated = (id: number, type: string) => ({ id, type, rule: 'repeated' });
const message = (
  fields: protobuf.IType['fields'],
  nested: NonNullable<protobuf.IType['nested']> = {},
) => ({
  fields,
  nested,
});

/** Names, numbers and types are those of the published schema; an enumeration is its number. */
export const SCHEMA = {
  nested: {
    'google.protobuf': {
      nested: {
        Timestamp: message({ seconds: field(1, 'int64'), nanos: field(2, 'int32') }),
      },
    },
    'google.firestore.v1': {
      nested: {
        BatchGetDocumentsRequest: message({
          database: field(1, 'string'),
          documents: repeated(2, 'string'),
        }),
        BatchGetDocumentsResponse: message({
          found: field(1, 'Document'),
          missing: field(2, 'string'),
        }),
        RunQueryRequest: message({
          parent: field(1, 'string'),
          structuredQuery: field(2, 'StructuredQuery'),
        }),
        RunQueryResponse: message({ document: field(1, 'Document') }),
        StructuredQuery: message(
          {
            select: field(1, 'Projection'),
            from: repeated(2, 'CollectionSelector'),
            where: field(3, 'Filter'),
          },
          {
            Projection: message({ fields: repeated(2, 'FieldReference') }),
            CollectionSelector: message({ collectionId: field(2, 'string') }),
            Filter: message({ fieldFilter: field(2, 'FieldFilter') }),
            FieldFilter: message({
              field: field(1, 'FieldReference'),
              op: field(2, 'int32'),
              value: field(3, 'Value'),
            }),
            FieldReference: message({ fieldPath: field(2, 'string') }),
          },
        ),
        Document: message({
          name: field(1, 'string'),
          fields: byName(2, 'Value'),
        }),
        Value: message({
          booleanValue: field(1, 'bool'),
          integerValue: field(2, 'int64'),
          doubleValue: field(3, 'double'),
          timestampValue: field(10, 'google.protobuf.Timestamp'),
          stringValue: field(17, 'string'),
        }),
      },
    },
  },
} satisfies protobuf.INamespace;

const schema = protobuf.Root.fromJSON(SCHEMA);
compileSeparately(schema);

/** A method of Firestore's service: one request, and a stream of messages in response. */
export interface FirestoreMethod<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

function firestoreMethod<Request extends object, Response>(
  name: string,
): FirestoreMethod<Request, Response> {
  const request = schema.lookupType(`google.firestore.v1.${name}Request`);
  const response = schema.lookupType(`google.firestore.v1.${name}Response`);
  return {
    path: `/google.firestore.v1.Firestore/${name}`,
    serialize: (fields) => Buffer.from(request.encode(fields).finish()),
    deserialize: (bytes) => response.decode(bytes) as Response,
  };
}

/** The document, or else the resource name of the missing one. */
export interface DocumentResponse {
  readonly found: WireDocument | null;
  readonly missing: string;
}

/** `database` and `documents` are full resource names. */
export const batchGetDocuments = firestoreMethod<
  { readonly database: string; readonly documents: readonly string[] },
  DocumentResponse
>('BatchGetDocuments');

/** `parent` is the resource name of the database's documents. */
export const runQuery = firestoreMethod<
  { readonly parent: string; readonly structuredQuery: object },
  { readonly document: WireDocument | null }
>('RunQuery');

/** StructuredQuery.FieldFilter.Operator */
const EQUAL = 5;

/** Selects the documents of a collection whose field equals this text. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  /** The fields that are read of each document. */
  readonly select: readonly string[];
}

export const equalityQuery = (query: EqualityQuery): object => ({
  select: { fields: query.select.map((fieldPath) => ({ fieldPath })) },
  from: [{ collectionId: query.collection }],
  where: {
    fieldFilter: {
      field: { fieldPath: query.field },
      op: EQUAL,
      value: { stringValue: query.equals },
    },
  },
});
