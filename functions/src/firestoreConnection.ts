// Owns the connection to Firestore: which database, as whom, and one call over it.

import { finished } from 'node:stream/promises';
import { type ChannelCredentials, Client, credentials, Metadata } from '@grpc/grpc-js';
import { type App, applicationDefault } from 'firebase-admin/app';
import { channelOptions } from './firestoreChannel.ts';
import type { FirestoreCall } from './firestoreMessages.ts';

const HOST = 'firestore.googleapis.com';

export interface Connection {
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

/** @throws Error when nothing tells the project; nothing is sent until something is asked */
export function connect(app: App): Connection {
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
