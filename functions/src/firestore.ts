// Owns reading Firestore: one document by its id, or those of a query. It speaks gRPC itself, since the
// SDK's client, made for far more, takes longer to load than all the rest of the function and spends
// most of a lookup's CPU on snapshots that are parsed and thrown away.

import { finished } from 'node:stream/promises';
import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { type App, applicationDefault } from 'firebase-admin/app';
import { channelOptions, READ_TIMEOUT_MS, RETRYABLE } from './firestoreChannel.ts';
import {
  batchGetDocuments,
  type DocumentAnswer,
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
    async queryDocuments(query, read) {
      const { documents, ask } = connection();
      const request = { parent: documents, structuredQuery: equalityQuery(query) };
      const routing = `parent=${encodeURIComponent(documents)}`;
      const deadline = readDeadline();
      let hasBegun = false;
      const attempt = async () => {
        const results: NonNullable<ReturnType<typeof read>>[] = [];
        await ask(runQuery, request, routing, deadline, ({ document }) => {
          hasBegun = true;
          if (!document) return;
          const result = read(fieldsOf(document), document.name.slice(documents.length + 1));
          if (result) results.push(result);
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

interface Connection {
  /** The database's resource name. */
  readonly database: string;
  /** What the resource names of its documents begin with. */
  readonly documents: string;
  /**
   * Makes a call and hands over each message of its answer as it comes.
   *
   * @param routing the request's own parameter that tells Google where its data is
   * @param deadline milliseconds since the epoch
   */
  readonly ask: <Request, Response>(
    call: FirestoreCall<Request, Response>,
    request: Request,
    routing: string,
    deadline: number,
    take: (message: Response) => void,
  ) => Promise<void>;
}

function connect(app: App): Connection {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const database = `projects/${projectOf(app)}/databases/(default)`;
  const client = emulator
    ? new Client(emulator, credentials.createInsecure(), channelOptions)
    : new Client(HOST, credentialsOf(app), channelOptions);
  return {
    database,
    documents: `${database}/documents`,
    async ask({ path, serialize, deserialize }, request, routing, deadline, take) {
      const metadata = new Metadata();
      metadata.set('google-cloud-resource-prefix', database);
      metadata.set('x-goog-request-params', routing);
      if (emulator) metadata.set('authorization', 'Bearer owner');
      const stream = client.makeServerStreamRequest(
        path,
        serialize,
        deserialize,
        request,
        metadata,
        { deadline },
      );
      // By event: iterating would make promises for each document.
      stream.on('data', (message) => {
        try {
          take(message);
        } catch (error) {
          stream.destroy(error as Error);
          stream.cancel();
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
    credential
      .getAccessToken()
      .then(({ access_token }) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${access_token}`);
        return metadata;
      })
      .then((metadata) => callback(null, metadata), callback);
  });
  return credentials.combineChannelCredentials(credentials.createSsl(), perCall);
}
