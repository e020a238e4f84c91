// Reads Firestore over its REST interface: one document by its path, or those that match a query. A response is used only
// if it answers what was asked.

import type { Stored } from '../../../records/storedValues.ts';
import { type FindAccount, openService } from './account.ts';
import { toGoogleError, UnusableResponse } from './googleError.ts';
import { JsonArray } from './json.ts';
import type { BodyReader } from './exchange.ts';
import { readFields } from './storedFields.ts';

const URL = 'https://firestore.googleapis.com';

/** Selects the documents of a collection whose field equals this text. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  /** The fields that are read of each document. */
  readonly select: readonly string[];
}

export interface FirestoreReader {
  /**
   * Reads one document by its path, as in `apiKeys/x`: undefined when there is none, which costs
   * one read as well.
   */
  readonly readDocument: (path: string, signal: AbortSignal) => Promise<Stored | undefined>;
  /**
   * Reads the documents whose field equals this text. Costs a read for each, or one when there is
   * none.
   *
   * @param read called with each document as it arrives; its results are returned, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Stored, path: string) => T | undefined,
    signal: AbortSignal,
  ) => Promise<T[]>;
}

/**
 * Opens the default database of the account's project. Reads reject with GoogleError.
 *
 * @param emulator host:port of the emulator to use in its place, if any
 */
export function openFirestore(
  findAccount: FindAccount,
  emulator: string | undefined,
): FirestoreReader {
  const call = openService('Firestore', URL, emulator && `http://${emulator}`, findAccount);
  return {
    readDocument(path, signal) {
      return call((projectId) => {
        const root = documentsRoot(projectId);
        const name = `${root}/${path}`;
        return {
          path: `/v1/${root}:batchGet`,
          content: { documents: [name] },
          newReader: () => readOneDocument(name),
          signal,
        };
      });
    },
    queryDocuments(query, read, signal) {
      return call((projectId) => {
        const root = documentsRoot(projectId);
        return {
          path: `/v1/${root}:runQuery`,
          content: { structuredQuery: structuredQuery(query) },
          newReader: () => readRows(root, query, read),
          signal,
        };
      });
    },
  };
}

const documentsRoot = (projectId: string): string =>
  `projects/${projectId}/databases/(default)/documents`;

function structuredQuery({ collection, field, equals, select }: EqualityQuery): object {
  return {
    select: { fields: [...select, field].map((fieldPath) => ({ fieldPath })) },
    from: [{ collectionId: collection }],
    where: {
      fieldFilter: { field: { fieldPath: field }, op: 'EQUAL', value: { stringValue: equals } },
    },
  };
}

/** Reads the response of `:batchGet` for one document: exactly one `found` or `missing`, of that name. */
function readOneDocument(name: string): BodyReader<Stored | undefined> {
  let answers = 0;
  let stored: Stored | undefined;
  return readElements(
    ({ found, missing }) => {
      if (found === undefined && missing === undefined) return;
      const isOther = found === undefined ? missing !== name : Object(found).name !== name;
      answers += 1;
      if (isOther || answers > 1 || (found && missing)) throw notAsked();
      if (found) stored = readFields(Object(found).fields);
    },
    () => {
      if (answers === 0) throw notAsked();
      return stored;
    },
  );
}

/** Reads the response of `:runQuery`: rows, or without any an element with `readTime`. */
function readRows<T>(
  root: string,
  { collection, field, equals }: EqualityQuery,
  read: (fields: Stored, path: string) => T | undefined,
): BodyReader<T[]> {
  const results: T[] = [];
  let isAnswered = false;
  return readElements(
    ({ document, readTime }) => {
      if (document === undefined) {
        isAnswered ||= typeof readTime === 'string';
        return;
      }
      isAnswered = true;
      const { name, fields: sent } = Object(document);
      const path = String(name).slice(root.length + 1);
      const fields = readFields(sent);
      const [parent, id, ...rest] = path.split('/');
      const isOther = name !== `${root}/${path}` || parent !== collection || !id || rest.length > 0;
      if (isOther || fields[field] !== equals) throw notAsked();
      const result = read(fields, path);
      if (result !== undefined) results.push(result);
    },
    () => {
      if (!isAnswered) throw notAsked();
      return results;
    },
  );
}

/** Reads an array of objects, any of which may say in the end that the call has failed. */
function readElements<Result>(
  onElement: (element: Readonly<Record<string, unknown>>) => void,
  result: () => Result,
): BodyReader<Result> {
  const array = new JsonArray();
  return {
    onData(chunk) {
      for (const element of array.push(chunk)) {
        const { error, ...rest } = Object(element);
        if (error !== undefined) throw toGoogleError(Object(error).code, error);
        onElement(rest);
      }
    },
    result() {
      if (!array.isComplete) throw new UnusableResponse('the response was cut off');
      return result();
    },
  };
}

const notAsked = () => new UnusableResponse('the response does not answer what was asked');
