// The connection to Firestore: which database, with which credentials, and one call over it.

import { finished } from 'node:stream/promises';
import { type ChannelCredentials, Client, credentials, Metadata } from '@grpc/grpc-js';
import { type App, applicationDefault } from 'firebase-admin/app';
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

/** @throws Error when nothing tells the project; nothing is sent until the first call */
export function connect(app: App): Connection {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const database = `projects/${projectOf(app)}/databases/(default)`;
  const client = emulator
    ? new Client(emulator, credentials.createInsecure(), channelOptions)
    : new Client(HOST, credentialsOf(app), channelOptions);
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

/** The project's id: the app's own, or the environment's. */
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
