// Owns reading Firestore: one document by its id, or those of a query. It speaks gRPC itself, since the
// SDK's client, made for far more, takes longer to load than all the rest of the function and spends
// most of a lookup's CPU on snapshots that are parsed and thrown away.

import { type ServiceError, status } from '@grpc/grpc-js';
import type { App } from 'firebase-admin/app';
import { READ_TIMEOUT_MS, RETRYABLE } from './firestoreChannel.ts';
import { type Connection, connect } from './firestoreConnection.ts';
import {
  batchGetDocuments,
  type DocumentAnswer,
  type EqualityQuery,
  equalityQuery,
  runQuery,
} from './firestoreMessages.ts';
import { type Fields, fieldsOf } from './firestoreValues.ts';

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
   * @param read called with each as it comes; what it makes of them is returned, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Fields, path: string) => T | undefined,
  ) => Promise<T[]>;
}

/**
 * Opens the way to the default database of the app's project, or to the emulator's that
 * FIRESTORE_EMULATOR_HOST names, when something is first read. A read that fails rejects with
 * gRPC's status.
 */
export function openFirestore(app: App): FirestoreReader {
  let opened: Connection | undefined;
  const connection = (): Connection => {
    opened ??= connect(app);
    return opened;
  };
  return {
    async readDocument(path) {
      const { database, documents, ask } = connection();
      const request = { database, documents: [`${documents}/${path}`] };
      const routing = `database=${encodeURIComponent(database)}`;
      const answers: DocumentAnswer[] = [];
      await ask(batchGetDocuments, request, routing, readDeadline(), (one) => answers.push(one));
      const answer = answers.find(({ found, missing }) => found || missing);
      // Nobody is to be refused for an answer that never came.
      if (!answer) throw new Error('Firestore answered without a document');
      return answer.found ? fieldsOf(answer.found) : undefined;
    },
    async queryDocuments<T>(
      query: EqualityQuery,
      read: (fields: Fields, path: string) => T | undefined,
    ) {
      const { documents, ask } = connection();
      const request = { parent: documents, structuredQuery: equalityQuery(query) };
      const routing = `parent=${encodeURIComponent(documents)}`;
      const deadline = readDeadline();
      let hasBegun = false;
      const attempt = async (): Promise<T[]> => {
        const results: T[] = [];
        await ask(runQuery, request, routing, deadline, ({ document }) => {
          hasBegun = true;
          if (!document) return;
          const result = read(fieldsOf(document), document.name.slice(documents.length + 1));
          if (result !== undefined) results.push(result);
        });
        return results;
      };
      try {
        return await attempt();
      } catch (error) {
        // gRPC tries again until an answer begins; one that is cut off is asked for once more.
        if (!hasBegun || !isRetryable(error)) throw error;
        return await attempt();
      }
    },
  };
}

const readDeadline = (): number => Date.now() + READ_TIMEOUT_MS;

const isRetryable = (error: unknown): boolean =>
  RETRYABLE.some((name) => status[name] === (error as Partial<ServiceError>).code);
