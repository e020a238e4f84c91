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

/** Its reads reject with GoogleError, and end when their signal is aborted. */
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
export function openFirestore(findAccount: FindAccount, emulator?: string): FirestoreReader {
  const call = openService('Firestore', URL, emulator && `http://${emulator}`, findAccount);
  const rootOf = (projectId: string) => `projects/${projectId}/databases/(default)/documents`;
  return {
    readDocument: (path, signal) =>
      call((projectId) => {
        const root = rootOf(projectId);
        const content = { documents: [`${root}/${path}`] };
        const newReader = () => readOneDocument(`${root}/${path}`);
        return { path: `/v1/${root}:batchGet${COMPACT}`, content, newReader, signal };
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
  const answers: (Stored | undefined)[] = [];
  const onElement = ({ found, missing }: Element): void => {
    if (found === undefined && missing === undefined) return;
    const isAsked = (found ? Object(found).name : missing) === name;
    requireAnswer(isAsked && !(found && missing));
    answers.push(found ? readFields(Object(found).fields) : undefined);
  };
  return readElements(onElement, () => {
    requireAnswer(answers.length === 1);
    return answers[0];
  });
}

/** Each row is what was asked for; where there is none, an element has the time of the reading. */
function readRows<T>(
  root: string,
  { collection, field, equals }: EqualityQuery,
  read: (fields: Stored, path: string) => T | undefined,
): BodyReader<T[]> {
  const results: T[] = [];
  const prefix = `${root}/${collection}/`;
  let isAnswered = false;
  const onElement = ({ document, readTime }: Element): void => {
    isAnswered ||= document !== undefined || typeof readTime === 'string';
    if (document === undefined) return;
    const { name, fields: sent } = Object(document);
    const fields = readFields(sent);
    requireAnswer(typeof name === 'string' && name.startsWith(prefix) && fields[field] === equals);
    requireAnswer(!name.includes('/', prefix.length));
    const result = read(fields, name.slice(root.length + 1));
    if (result !== undefined) results.push(result);
  };
  return readElements(onElement, () => {
    requireAnswer(isAnswered);
    return results;
  });
}

type Element = Readonly<Record<string, unknown>>;

/** Reads an array of objects, any of which may say that the call has failed after all. */
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

/** A response is used only if it is whole and answers what was asked. */
function requireAnswer(isOne: boolean): asserts isOne {
  if (!isOne) throw new UnusableResponse('the response does not answer what was asked');
}
