// Reads from Firestore's REST API: one document by path, or the documents that match a query.

import type { Stored } from '../../../records/storedValues.ts';
import { type GoogleAccount, openService } from './account.ts';
import type { BodyReader } from './exchange.ts';
import { toGoogleError, UnusableResponse } from './googleError.ts';
import { JsonArray } from './json.ts';
import { readFields } from './storedFields.ts';

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
   * @param read called with each document as it arrives
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
  const call = openService('Firestore', URL, emulator && `http://${emulator}`, account);
  const root = `projects/${account.projectId}/databases/(default)/documents`;
  return {
    readDocument: (path, signal) =>
      call({
        path: `/v1/${root}:batchGet${COMPACT}`,
        content: { documents: [`${root}/${path}`] },
        newReader: () => readOneDocument(`${root}/${path}`),
        signal,
      }),
    queryDocuments: (query, read, signal) =>
      call({
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

/** Exactly one element must have `found` or `missing`, for the requested document. */
function readOneDocument(name: string): BodyReader<Stored | undefined> {
  const results: (Stored | undefined)[] = [];
  const onElement = ({ found, missing }: Element): void => {
    if (found === undefined && missing === undefined) return;
    const isRequested = (found ? Object(found).name : missing) === name;
    requireMatch(isRequested && !(found && missing));
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
  const results: T[] = [];
  const prefix = `${root}/${collection}/`;
  let isComplete = false;
  const onElement = ({ document, readTime }: Element): void => {
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

type Element = Readonly<Record<string, unknown>>;

/** Reads an array of objects, any of which may report a late error. */
function readElements<Result>(
  onElement: (element: Element) => void,
  result: () => Result,
): BodyReader<Result> {
  const array = new JsonArray();
  const read = (elements: readonly unknown[]): void => {
    for (const element of elements) {
      const object = Object(element);
      if (object.error) throw toGoogleError(Number(object.error.code), JSON.stringify(object));
      onElement(object);
    }
  };
  return {
    onData: (text) => read(array.push(text)),
    result() {
      read(array.end());
      return result();
    },
  };
}

/** A response is used only if it is complete and matches the request. */
function requireMatch(isMatch: boolean): asserts isMatch {
  if (!isMatch) throw new UnusableResponse('the response does not match the request');
}
