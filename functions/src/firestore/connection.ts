// The connection to Firestore: which database, with which credentials, and one call over it.

import { credentials, Metadata } from '@grpc/grpc-js';
import { channelCredentials, type GoogleAccount } from './accessToken.ts';
import { READ_TIMEOUT_MS } from './channel.ts';
import { CurrentClient } from './client.ts';
import type { FirestoreMethod } from './messages.ts';
import { callWithRetries, type ResponseReader } from './retries.ts';

const HOST = 'firestore.googleapis.com';

export interface Connection {
  /** The database's resource name. */
  readonly database: string;
  /** The resource name that those of its documents begin with. */
  readonly documentsRoot: string;
  /** Begins to connect. */
  readonly open: () => void;
  /**
   * Makes a call until a response arrives whole, for as long as a read may take.
   *
   * @param routing the request's own parameter that Google routes the call by
   * @param newReader makes the reader of each attempt's response
   */
  readonly call: <Request, Message, Result>(
    method: FirestoreMethod<Request, Message>,
    request: Request,
    routing: string,
    newReader: () => ResponseReader<Message, Result>,
  ) => Promise<Result>;
}

/** Nothing is sent until it is opened, or the first call is made. */
export function connect({ projectId, accessToken }: GoogleAccount): Connection {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const database = `projects/${projectId}/databases/(default)`;
  const currentClient = new CurrentClient(
    emulator
      ? { target: emulator, credentials: credentials.createInsecure() }
      : { target: HOST, credentials: channelCredentials(accessToken) },
  );
  return {
    database,
    documentsRoot: `${database}/documents`,
    open: () => currentClient.get().connect(),
    call(method, request, routing, newReader) {
      const metadata = new Metadata();
      metadata.set('google-cloud-resource-prefix', database);
      metadata.set('x-goog-request-params', routing);
      if (emulator) metadata.set('authorization', 'Bearer owner');
      const deadline = Date.now() + READ_TIMEOUT_MS;
      return callWithRetries(currentClient, { method, request, metadata, deadline }, newReader);
    },
  };
}
