// Reads Firestore over its REST interface: one document by its path, or those that match a query.

import type { Stored } from '../../../records/storedValues.ts';
import { type FindAccount, openService } from './account.ts';
import type { BodyReader } from './exchange.ts';
import { toGoogleError, UnusableResponse } from './googleError.ts';
import { JsonArray } from './json.ts';
import { readFields } from './storedFields.ts';

const URL = 'https://firestore.googleapis.com';
/** Google indents JSON unless it is told not to. */
const COMPACT = '?prettyPrint=false';

/** Selects the documents of a collection whose field equals this text, and which of their fields are read. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  readonly select: readonly string[];
}

/** Its reads reject with GoogleError. They end when their signal is aborted. */
export interface FirestoreReader {
  /** @param path as in `apiKeys/x` @returns undefined when there is no such document, which costs one read as well */
  readonly readDocument: (path: string, signal: AbortSignal) => Promise<Stored | undefined>;
  /**
   * Costs a read for each document, or one when there is none.
   *
   * @param read called with each document as it arrives
   * @returns what `read` returned, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Stored, path: string) => T | undefined,
    signal: AbortSignal,
  ) => Promise<T[]>;
}

/** Opens the default database. @param emulator host:port of the emulator to use in its place, if any */
export function openFirestore(
  findAccount: FindAccount,
  emulator: string | undefined,
): FirestoreReader {
  const call = openService('Firestore', URL, emulator && `http://${emulator}`, findAccount);
  const rootOf = (projectId: string) => `projects/${projectId}/databases/(default)/documents`;
  return {
    readDocument: (path, signal) =>
      call((projectId) => {
        const root = rootOf(projectId);
        const name = `${root}/${path}`;
        const newReader = () => readOneDocument(name);
        return {
          path: `/v1/${root}:batchGet${COMPACT}`,
          content: { documents: [name] },
          newReader,
          signal,
        };
      }),
    queryDocuments: (query, read, signal) =>
      call((projectId) => {
        const root = rootOf(projectId);
        const content = { structuredQuery: structuredQuery(query) };
        const newReader = () => readRows(root, query, read);
        return { path: `/v1/${root}:runQuery${COMPACT}`, content, newReader, signal };
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

/** Exactly one element says `found` or `missing`, of the document that was asked for. */
function readOneDocument(name: string): BodyReader<Stored | undefined> {
  let answers = 0;
  let stored: Stored | undefined;
  return readElements(
    ({ found, missing }) => {
      if (found === undefined && missing === undefined) return;
      answers += 1;
      requireAnswer((found ? Object(found).name : missing) === name && !(found && missing));
      if (found) stored = readFields(Object(found).fields);
    },
    () => {
      requireAnswer(answers === 1);
      return stored;
    },
  );
}

/** Each row is what was asked for; where there is none, an element says when that was so. */
function readRows<T>(
  root: string,
  { collection, field, equals }: EqualityQuery,
  read: (fields: Stored, path: string) => T | undefined,
): BodyReader<T[]> {
  const results: T[] = [];
  const prefix = `${root}/${collection}/`;
  let isAnswered = false;
  return readElements(
    ({ document, readTime }) => {
      isAnswered ||= document !== undefined || typeof readTime === 'string';
      if (document === undefined) return;
      const { name, fields: sent } = Object(document);
      const fields = readFields(sent);
      requireAnswer(
        typeof name === 'string' && name.startsWith(prefix) && fields[field] === equals,
      );
      const result = read(fields, name.slice(root.length + 1));
      if (result !== undefined) results.push(result);
    },
    () => {
      requireAnswer(isAnswered);
      return results;
    },
  );
}

/** Reads an array of objects, any of which may say that the call has failed after all. */
function readElements<Result>(
  onElement: (element: Readonly<Record<string, unknown>>) => void,
  result: () => Result,
): BodyReader<Result> {
  const array = new JsonArray();
  return {
    onData(chunk) {
      for (const element of array.push(chunk)) {
        const object = Object(element);
        if (object.error) throw toGoogleError(object.error.code, object.error);
        onElement(object);
      }
    },
    result() {
      requireAnswer(array.isComplete);
      return result();
    },
  };
}

/** A response is used only if it is whole, and answers what was asked. */
function requireAnswer(isSo: boolean): asserts isSo {
  if (!isSo) throw new UnusableResponse('the response does not answer what was asked');
}
