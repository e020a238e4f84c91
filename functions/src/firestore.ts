// Owns reading Firestore: one document by its id, or those of a query. It speaks gRPC itself, since the
// SDK's client, made for far more, takes longer to load than all the rest of the function and spends
// most of a lookup's CPU on snapshots that are parsed and thrown away.

import { finished } from 'node:stream/promises';
import { type ChannelCredentials, Client, credentials, Metadata } from '@grpc/grpc-js';
import { type App, applicationDefault } from 'firebase-admin/app';
import { channelOptions, READ_TIMEOUT_MS } from './firestoreChannel.ts';
import {
  batchGetDocuments,
  type EqualityQuery,
  equalityQuery,
  type Fields,
  type FirestoreCall,
  fieldsOf,
  runQuery,
} from './firestoreMessages.ts';

const HOST = 'firestore.googleapis.com';

export interface FirestoreReader {
  /**
   * Reads one document by its path, as in `apiKeys/x`: undefined when there is none, which costs
   * one read as well.
   */
  readonly readDocument: (path: string) => Promise<Fields | undefined>;
  /**
   * Reads the documents whose field holds this text and hands over each as it comes. Costs a read
   * for each, or one when there is none.
   */
  readonly queryDocuments: (
    query: EqualityQuery,
    take: (fields: Fields, path: string) => void,
  ) => Promise<void>;
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
      let fields: Fields | undefined;
      await ask(
        batchGetDocuments,
        request,
        `database=${encodeURIComponent(database)}`,
        (answer) => {
          if (answer.found) fields = fieldsOf(answer.found);
        },
      );
      return fields;
    },
    async queryDocuments(query, take) {
      const { documents, ask } = connection();
      const request = { parent: documents, structuredQuery: equalityQuery(query) };
      await ask(runQuery, request, `parent=${encodeURIComponent(documents)}`, ({ document }) => {
        if (document) take(fieldsOf(document), document.name.slice(documents.length + 1));
      });
    },
  };
}

interface Connection {
  /** The database's resource name. */
  readonly database: string;
  /** What the resource names of its documents begin with. */
  readonly documents: string;
  /**
   * Makes a call and hands over each message of its answer as it comes.
   *
   * @param routing the request's own parameter that tells Google where its data is
   */
  readonly ask: <Request, Response>(
    call: FirestoreCall<Request, Response>,
    request: Request,
    routing: string,
    take: (message: Response) => void,
  ) => Promise<void>;
}

function connect(app: App): Connection {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const client = emulator
    ? new Client(emulator, credentials.createInsecure(), channelOptions)
    : new Client(HOST, credentialsOf(app), channelOptions);
  const database = `projects/${projectOf(app)}/databases/(default)`;
  return {
    database,
    documents: `${database}/documents`,
    async ask({ path, serialize, deserialize }, request, routing, take) {
      const metadata = new Metadata();
      metadata.set('google-cloud-resource-prefix', database);
      metadata.set('x-goog-request-params', routing);
      if (emulator) metadata.set('authorization', 'Bearer owner');
      const until = { deadline: Date.now() + READ_TIMEOUT_MS };
      const stream = client.makeServerStreamRequest(
        path,
        serialize,
        deserialize,
        request,
        metadata,
        until,
      );
      // By event: iterating would make promises for each document, and those are slow in a domain.
      stream.on('data', (message) => {
        try {
          take(message);
        } catch (error) {
          stream.destroy(error as Error);
        }
      });
      await finished(stream);
    },
  };
}

/** Deployed, the platform tells the project; elsewhere the environment does. */
function projectOf({ options }: App): string {
  const { GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT } = process.env;
  const id = options.projectId ?? GOOGLE_CLOUD_PROJECT ?? GCLOUD_PROJECT;
  if (!id) throw new Error('Unknown project: set GOOGLE_CLOUD_PROJECT to its id.');
  return id;
}

/** TLS, and with each call the app's access token, which its credential keeps until it expires. */
function credentialsOf({ options }: App): ChannelCredentials {
  const credential = options.credential ?? applicationDefault();
  const perCall = credentials.createFromMetadataGenerator((_, callback) => {
    credential.getAccessToken().then(({ access_token }) => {
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${access_token}`);
      callback(null, metadata);
    }, callback);
  });
  return credentials.combineChannelCredentials(credentials.createSsl(), perCall);
}
