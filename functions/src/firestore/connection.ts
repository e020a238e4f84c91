// The connection to Firestore: which database, with which credentials, and one call over it.

import { finished } from 'node:stream/promises';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { channelCredentials, type GoogleAccount } from './accessToken.ts';
import { channelOptions } from './channel.ts';
import type { FirestoreMethod } from './messages.ts';

const HOST = 'firestore.googleapis.com';

export interface Connection {
  /** The database's resource name. */
  readonly database: string;
  /** The resource name that those of its documents begin with. */
  readonly documentsRoot: string;
  /**
   * Makes a call, and passes on each message of the response as it arrives.
   *
   * @param routing the request's own parameter that tells Google where its data is
   * @param deadline milliseconds since the epoch
   */
  readonly call: <Request, Response>(
    method: FirestoreMethod<Request, Response>,
    request: Request,
    routing: string,
    deadline: number,
    onMessage: (message: Response) => void,
  ) => Promise<void>;
}

/** Nothing is sent until the first call. */
export function connect({ projectId, accessToken }: GoogleAccount): Connection {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const database = `projects/${projectId}/databases/(default)`;
  const client = emulator
    ? new Client(emulator, credentials.createInsecure(), channelOptions)
    : new Client(HOST, channelCredentials(accessToken), channelOptions);
  return {
    database,
    documentsRoot: `${database}/documents`,
    async call({ path, serialize, deserialize }, request, routing, deadline, onMessage) {
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
          onMessage(message);
        } catch (error) {
          stream.destroy(error as Error);
          stream.cancel();
        }
      });
      await finished(stream);
    },
  };
}
