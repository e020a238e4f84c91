// Reads from Firestore's REST API: one document by path, or the documents that match a query.

import type { Stored } from '../../../records/storedValues.ts';
import { type GoogleAccount, openService } from './account.ts';
import { type BodyReader, toGoogleError, UnusableResponse } from './exchange.ts';
import { readArray } from './json.ts';

const URL = 'https://firestore.googleapis.com';
/** Google's APIs indent JSON by default. */
const COMPACT = '?prettyPrint=false';

/** Finds the documents of a collection that have a given text in a field. `select` lists the fields to read. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  readonly select: readonly string[];
}

/** Its reads reject with GoogleError, and end when their signal is aborted. */
export interface FirestoreReader {
  /**
   * @param path for example `apiKeys/x`
   * @returns undefined if the document does not exist, which also costs one read
   */
  readonly readDocument: (path: string, signal: AbortSignal) => Promise<Stored | undefined>;
  /**
   * Costs one read per document, or one if there are none.
   *
   * @param read converts a document, so that its fields need no memory afterwards
   * @returns the results of `read`, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Stored, path: string) => T | undefined,
    signal: AbortSignal,
  ) => Promise<T[]>;
}

/** Opens the default database. @param emulator host:port of the emulator to use instead, if any */
export function openFirestore(account: GoogleAccount, emulator?: string): FirestoreReader {
  const service = openService('Firestore', URL, emulator && `http://${emulator}`, account);
  const root = `projects/${account.projectId}/databases/(default)/documents`;
  return {
    readDocument: (path, signal) =>
      service.call({
        path: `/v1/${root}:batchGet${COMPACT}`,
        content: { documents: [`${root}/${path}`] },
        newReader: () => readOneDocument(`${root}/${path}`),
        signal,
      }),
    queryDocuments: (query, read, signal) =>
      service.call({
        path: `/v1/${root}:runQuery${COMPACT}`,
        content: { structuredQuery: structuredQuery(query) },
        newReader: () => readRows(root, query, read),
        signal,
      }),
  };
}

function structuredQuery({ collection, field, equals, select }: EqualityQuery): object {
  const value = { stringValue: equals };
  return {
    select: { fields: [...select, field].map((fieldPath) => ({ fieldPath })) },
    from: [{ collectionId: collection }],
    where: { fieldFilter: { field: { fieldPath: field }, op: 'EQUAL', value } },
  };
}

type Element = Readonly<Record<string, unknown>>;
/** Every answer to a read of a document has one of these. */
const isOfDocument = ({ found, missing }: Element): boolean =>
  found !== undefined || missing !== undefined;

/** Exactly one element must have `found` or `missing`, for the requested document. */
function readOneDocument(name: string): BodyReader<Stored | undefined> {
  const results: (Stored | undefined)[] = [];
  const onElement = (element: Element): void => {
    if (!isOfDocument(element)) return;
    const { found, missing } = element;
    requireMatch((found ? Object(found).name : missing) === name && !(found && missing));
    results.push(found ? readFields(Object(found).fields) : undefined);
  };
  return readElements(onElement, () => {
    requireMatch(results.length === 1);
    return results[0];
  });
}

/** Every row must match the query. If there are no rows, an element must have the read time. */
function readRows<T>(
  root: string,
  { collection, field, equals }: EqualityQuery,
  read: (fields: Stored, path: string) => T | undefined,
): BodyReader<T[]> {
  const prefix = `${root}/${collection}/`;
  const results: T[] = [];
  let isComplete = false;
  const onElement = (element: Element): void => {
    requireMatch(!isOfDocument(element));
    const { document, readTime } = element;
    isComplete ||= document !== undefined || typeof readTime === 'string';
    if (document === undefined) return;
    const { name, fields: sent } = Object(document);
    const fields = readFields(sent);
    requireMatch(typeof name === 'string' && name.startsWith(prefix) && fields[field] === equals);
    requireMatch(!name.includes('/', prefix.length));
    const result = read(fields, name.slice(root.length + 1));
    if (result !== undefined) results.push(result);
  };
  return readElements(onElement, () => {
    requireMatch(isComplete);
    return results;
  });
}

/** Reads an array of objects, any of which may report a late error. */
function readElements<Result>(
  onElement: (element: Element) => void,
  result: () => Result,
): BodyReader<Result> {
  const onElements = (elements: readonly unknown[]): void => {
    for (const element of elements) {
      const object = Object(element);
      if (object.error) throw toGoogleError(Number(object.error.code), JSON.stringify(object));
      onElement(object);
    }
  };
  return readArray(onElements, result);
}

/** A response is used only if it is complete and matches the request. */
function requireMatch(isMatch: boolean): asserts isMatch {
  if (!isMatch) throw new UnusableResponse('the response does not match the request');
}

/** @param fields as Firestore sends them, for example `{"active": {"booleanValue": true}}` */
function readFields(fields: unknown): Stored {
  const stored: Record<string, unknown> = {};
  const sent = Object(fields);
  // A lookup may have many thousands of values, and this is faster than Object.entries.
  for (const name in sent) {
    // Our records have no such field, and an assignment would set the prototype.
    if (name !== '__proto__') stored[name] = readValue(Object(sent[name]));
  }
  return stored;
}

/**
 * @param value google.firestore.v1.Value in JSON
 * @returns text, a number, a boolean or an instant; null for any other kind, which our records do not have
 */
function readValue(value: Element): unknown {
  if (value['stringValue'] !== undefined) return value['stringValue'];
  if (value['timestampValue'] !== undefined) return new Instant(String(value['timestampValue']));
  if (value['integerValue'] !== undefined) return Number(value['integerValue']);
  return value['booleanValue'] ?? value['doubleValue'] ?? null;
}

const SECONDS_LENGTH = '2026-01-01T00:00:00'.length;
const MS_END = '2026-01-01T00:00:00.000'.length;

/**
 * A timestamp, rounded down to milliseconds. It is kept as text, because Firestore sends it as text and
 * so do we.
 */
class Instant {
  readonly #iso: string;

  /** @param sent RFC 3339 in UTC, with up to nine digits after the seconds */
  constructor(sent: string) {
    const ms = sent.slice(SECONDS_LENGTH + 1, MS_END).replace('Z', '');
    this.#iso = `${sent.slice(0, SECONDS_LENGTH)}.${ms.padEnd(3, '0')}Z`;
  }

  toISOString(): string {
    return this.#iso;
  }

  /** Like the method of the SDK's Timestamp. */
  toMillis(): number {
    return Date.parse(this.#iso);
  }
}
