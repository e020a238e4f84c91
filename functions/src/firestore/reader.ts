// Reads Firestore: one document by its path, or those that match a query. It speaks gRPC itself: the
// SDK's client, made for far more, takes longer to load than all the rest of the function and spends
// most of a lookup's CPU on snapshots that are parsed and thrown away.

import { type ServiceError, status } from '@grpc/grpc-js';
import { COLLECTIONS } from '../../../records/collections.ts';
import type { GoogleAccount } from './accessToken.ts';
import { READ_TIMEOUT_MS, RETRYABLE } from './channel.ts';
import { type Connection, connect } from './connection.ts';
import {
  batchGetDocuments,
  type DocumentResponse,
  type EqualityQuery,
  equalityQuery,
  runQuery,
} from './messages.ts';
import { type Fields, fieldsOf } from './values.ts';

export interface FirestoreReader {
  /**
   * Reads one document by its path, as in `apiKeys/x`: undefined when there is none, which costs
   * one read as well.
   */
  readonly readDocument: (path: string) => Promise<Fields | undefined>;
  /**
   * Reads the documents whose field holds this text. Costs a read for each, or one when there is
   * none.
   *
   * @param read called with each document as it arrives; its results are returned, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Fields, path: string) => T | undefined,
  ) => Promise<T[]>;
}

/**
 * Connects to the default database of the account's project, or to the emulator that
 * FIRESTORE_EMULATOR_HOST names, at the first read. A read that fails rejects with
 * gRPC's status.
 *
 * @param findAccount asked at the first read, and again when it rejects
 */
export function openFirestore(findAccount: () => Promise<GoogleAccount>): FirestoreReader {
  let opened: Promise<Connection> | undefined;
  const connection = (): Promise<Connection> => {
    opened ??= findAccount()
      .then(connect)
      .catch((error) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
  return {
    async readDocument(path) {
      const { database, documentsRoot, call } = await connection();
      const request = { database, documents: [`${documentsRoot}/${path}`] };
      const routing = `database=${encodeURIComponent(database)}`;
      const responses: DocumentResponse[] = [];
      await call(batchGetDocuments, request, routing, readDeadline(), (one) => responses.push(one));
      const response = responses.find(({ found, missing }) => found || missing);
      // An empty response does not mean that the document is missing.
      if (!response) throw new Error('Firestore returned no document and no missing one');
      return response.found ? fieldsOf(response.found) : undefined;
    },
    async queryDocuments<T>(
      query: EqualityQuery,
      read: (fields: Fields, path: string) => T | undefined,
    ) {
      const { documentsRoot, call } = await connection();
      const request = { parent: documentsRoot, structuredQuery: equalityQuery(query) };
      const routing = `parent=${encodeURIComponent(documentsRoot)}`;
      const deadline = readDeadline();
      let hasBegun = false;
      const attempt = async (): Promise<T[]> => {
        const results: T[] = [];
        await call(runQuery, request, routing, deadline, ({ document }) => {
          hasBegun = true;
          if (!document) return;
          const result = read(fieldsOf(document), document.name.slice(documentsRoot.length + 1));
          if (result !== undefined) results.push(result);
        });
        return results;
      };
      try {
        return await attempt();
      } catch (error) {
        // gRPC retries until a response begins; one that is cut off is requested once more.
        if (!hasBegun || !isRetryable(error)) throw error;
        return await attempt();
      }
    },
  };
}

/**
 * Connects before the first request needs it. What is read does not matter, and a failure shows in
 * the first request as well.
 */
export function warmUp(firestore: FirestoreReader): void {
  firestore.readDocument(`${COLLECTIONS.apiKeys}/start-up`).catch(() => undefined);
}

const readDeadline = (): number => Date.now() + READ_TIMEOUT_MS;

const isRetryable = (error: unknown): boolean =>
  RETRYABLE.some((name) => status[name] === (error as Partial<ServiceError>).code);
