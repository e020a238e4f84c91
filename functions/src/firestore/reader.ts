// Reads Firestore: one document by its path, or those that match a query. It uses gRPC directly: the
// SDK's client, made for far more, takes longer to load than all the rest of the function and spends
// most of a lookup's CPU on snapshots that are parsed and thrown away.

import type { Stored } from '../../../records/storedValues.ts';
import type { GoogleAccount } from './accessToken.ts';
import { type Connection, connect } from './connection.ts';
import {
  batchGetDocuments,
  type DocumentResponse,
  type EqualityQuery,
  runQuery,
} from './messages.ts';
import type { ResponseReader } from './retries.ts';

export interface FirestoreReader {
  /**
   * Reads one document by its path, as in `apiKeys/x`: undefined when there is none, which costs
   * one read as well.
   */
  readonly readDocument: (path: string) => Promise<Stored | undefined>;
  /**
   * Reads the documents whose field equals this text. Costs a read for each, or one when there is
   * none.
   *
   * @param read called with each document as it arrives; its results are returned, without undefined
   */
  readonly queryDocuments: <T>(
    query: EqualityQuery,
    read: (fields: Stored, path: string) => T | undefined,
  ) => Promise<T[]>;
}

/** A reader that can be asked to connect before its first read. */
export interface FirestoreConnection extends FirestoreReader {
  /** Begins to connect. A failure shows in the first read as well. */
  readonly warmUp: () => void;
}

/**
 * Connects to the default database of the account's project, or to the emulator that
 * FIRESTORE_EMULATOR_HOST names, at the first read or `warmUp`. A read that fails
 * rejects with gRPC's status.
 *
 * @param findAccount called then, and again after it rejects
 */
export function openFirestore(findAccount: () => Promise<GoogleAccount>): FirestoreConnection {
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
    warmUp() {
      connection()
        .then(({ open }) => open())
        .catch(() => undefined);
    },
    async readDocument(path) {
      const { database, documentsRoot, call } = await connection();
      const request = { database, document: `${documentsRoot}/${path}` };
      const routing = `database=${encodeURIComponent(database)}`;
      return await call(batchGetDocuments, request, routing, newDocumentReader);
    },
    async queryDocuments<T>(
      query: EqualityQuery,
      read: (fields: Stored, path: string) => T | undefined,
    ) {
      const { documentsRoot, call } = await connection();
      const request = { parent: documentsRoot, query };
      const routing = `parent=${encodeURIComponent(documentsRoot)}`;
      return await call(runQuery, request, routing, () => {
        const results: T[] = [];
        return {
          onMessage({ document }) {
            if (!document) return;
            const result = read(document.fields, document.name.slice(documentsRoot.length + 1));
            if (result !== undefined) results.push(result);
          },
          result: () => results,
        };
      });
    },
  };
}

function newDocumentReader(): ResponseReader<DocumentResponse, Stored | undefined> {
  let response: DocumentResponse | undefined;
  return {
    onMessage(message) {
      if (message.found || message.isMissing) response = message;
    },
    result() {
      // An empty response does not mean that the document is missing.
      if (!response) throw new Error('Firestore returned no document and no missing one');
      return response.found?.fields;
    },
  };
}
