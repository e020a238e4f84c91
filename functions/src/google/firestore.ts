// Reads from Firestore's REST API: one document by path, or the documents that match a query.

import { Instant, type Stored } from '../../../records/storedValues.ts';
import { openService } from './call.ts';
import { type BodyReader, UnusableResponse } from './exchange.ts';
import { type JsonObject, readArray } from './responseJson.ts';
import { authorizeAtEmulator, type GoogleAccount } from './serviceAccount.ts';

/** Finds the documents of a collection that have a given text in a field. `select` lists the fields to read. */
export interface EqualityQuery {
  readonly collection: string;
  readonly field: string;
  readonly equals: string;
  readonly select: readonly string[];
}

/** What the reads of a lookup share. */
export interface Reading {
  /** Ends the reads when it is aborted. */
  readonly signal: AbortSignal;
  /** Counts what Firestore charges for: each document, and the answer that there is none. */
  reads: number;
}

/** Its reads reject with GoogleError, and end when their signal is aborted. */
export type FirestoreReader = ReturnType<typeof openFirestore>;

/** Opens the default database. @param emulator host:port of the emulator to use instead, if any */
export function openFirestore({ projectId, authorize }: GoogleAccount, emulator?: string) {
  const call = openService('Firestore', emulator ? authorizeAtEmulator : authorize);
  const origin = emulator ? `http://${emulator}` : 'https://firestore.googleapis.com';
  const root = `projects/${projectId}/databases/(default)/documents`;
  // Google's APIs indent JSON by default.
  const urlOf = (method: string) => new URL(`${origin}/v1/${root}:${method}?prettyPrint=false`);
  const batchGet = urlOf('batchGet');
  const runQuery = urlOf('runQuery');
  const readTimes = new ReadTimes();
  return {
    /**
     * @param path for example `apiKeys/x`
     * @returns undefined if the document does not exist, which also costs one read
     */
    readDocument(path: string, reading: Reading): Promise<Stored | undefined> {
      const name = `${root}/${path}`;
      const newReader = () => readOneDocument(name, readTimes.newReply(), reading);
      const { signal } = reading;
      return call({ url: batchGet, content: { documents: [name] }, newReader, signal });
    },
    /**
     * Costs one read per document, or one if there are none.
     *
     * @param read converts a document, so that its fields need no memory afterwards
     * @returns the results of `read`, without undefined
     */
    queryDocuments<T>(query: EqualityQuery, read: ReadRow<T>, reading: Reading): Promise<T[]> {
      const { collection, field: fieldPath, equals, select } = query;
      const value = { stringValue: equals };
      const structuredQuery = {
        select: { fields: [...select, fieldPath].map((path) => ({ fieldPath: path })) },
        from: [{ collectionId: collection }],
        where: { fieldFilter: { field: { fieldPath }, op: 'EQUAL', value } },
      };
      const newReader = () => readRows(root, query, read, readTimes.newReply(), reading);
      const { signal } = reading;
      return call({ url: runQuery, content: { structuredQuery }, newReader, signal });
    },
  };
}

/** RFC 3339 in UTC, as Firestore sends it. */
const READ_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** When Firestore has last read for this instance. */
class ReadTimes {
  /** Without the final Z, so that a time with fewer digits compares as the earlier one. */
  #newest = '';

  /**
   * Firestore's reads are ordered, so a reply that is older than one received before its request was sent is the
   * reply to another request. It could contain a key that has been revoked since.
   *
   * Call it when the request is sent.
   */
  newReply() {
    const oldest = this.#newest;
    let seen: unknown;
    let latest = '';
    return {
      /** Checks an element's time. @throws UnusableResponse */
      check: (readTime: unknown): void => {
        // The rows of one reply have one time.
        if (readTime === seen || readTime === undefined) return;
        seen = readTime;
        requireMatch(typeof readTime === 'string' && READ_TIME.test(readTime));
        const time = readTime.slice(0, -1);
        requireMatch(time >= oldest);
        if (time > latest) latest = time;
      },
      /**
       * Call it only once the whole reply has matched its request. A time in the future is a mistake, which would refuse
       * every later reply, so this machine's time is remembered instead.
       */
      remember: (): void => {
        const now = new Date().toISOString().slice(0, -1);
        const time = latest < now ? latest : now;
        if (time > this.#newest) this.#newest = time;
      },
    };
  }
}
type ReplyTimes = ReturnType<ReadTimes['newReply']>;

type ReadRow<T> = (fields: Stored, path: string) => T | undefined;

/** Exactly one element must have `found` or `missing`, for the requested document. */
function readOneDocument(
  name: string,
  times: ReplyTimes,
  reading: Reading,
): BodyReader<Stored | undefined> {
  const results: (Stored | undefined)[] = [];
  const onElement = ({ readTime, found, missing }: JsonObject): void => {
    times.check(readTime);
    if (found === undefined && missing === undefined) return;
    reading.reads += 1;
    requireMatch((found ? Object(found).name : missing) === name && !(found && missing));
    results.push(found ? readFields(Object(found).fields) : undefined);
  };
  return readArray(onElement, () => {
    requireMatch(results.length === 1);
    times.remember();
    return results[0];
  });
}

/** Every row must match the query. If there are no rows, an element must have the read time. */
function readRows<T>(
  root: string,
  { collection, field, equals }: EqualityQuery,
  read: ReadRow<T>,
  times: ReplyTimes,
  reading: Reading,
): BodyReader<T[]> {
  const prefix = `${root}/${collection}/`;
  const results: T[] = [];
  let rows = 0;
  let isComplete = false;
  const onElement = ({ document, readTime, found, missing }: JsonObject): void => {
    times.check(readTime);
    requireMatch(found === undefined && missing === undefined);
    isComplete ||= document !== undefined || typeof readTime === 'string';
    if (document === undefined) return;
    rows += 1;
    reading.reads += 1;
    const { name, fields: sent } = Object(document);
    const fields = readFields(sent);
    requireMatch(typeof name === 'string' && name.startsWith(prefix) && fields[field] === equals);
    requireMatch(!name.includes('/', prefix.length));
    const result = read(fields, name.slice(root.length + 1));
    if (result !== undefined) results.push(result);
  };
  return readArray(onElement, () => {
    requireMatch(isComplete);
    // The answer that there is none.
    if (rows === 0) reading.reads += 1;
    times.remember();
    return results;
  });
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
  for (const name in sent) stored[name] = readValue(Object(sent[name]));
  return stored;
}

/**
 * @param value google.firestore.v1.Value in JSON
 * @returns text, a number, a boolean, an instant or an array; null for any other kind, which our records do not have
 */
function readValue(value: JsonObject): unknown {
  if (value['stringValue'] !== undefined) return value['stringValue'];
  if (value['timestampValue'] !== undefined) return readInstant(String(value['timestampValue']));
  // Firestore sends integers, and doubles such as NaN, as text.
  const number = value['integerValue'] ?? value['doubleValue'];
  if (number !== undefined) return Number(number);
  const { arrayValue, booleanValue } = value;
  if (arrayValue === undefined) return booleanValue ?? null;
  const { values = [] } = Object(arrayValue);
  return values.map((each: unknown) => readValue(Object(each)));
}

const MS_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/**
 * Rounds a timestamp down to milliseconds. It stays text, because Firestore sends it as text and so do we.
 *
 * @param sent RFC 3339 in UTC, with up to nine digits after the seconds
 */
function readInstant(sent: string): Instant {
  // Most times need no change, and a concatenated string takes more memory.
  if (sent.length === MS_LENGTH) return new Instant(sent);
  const [seconds, fraction = ''] = sent.replace('Z', '').split('.');
  return new Instant(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
}
