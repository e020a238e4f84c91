// How a call to Firestore says who makes it: TLS, and the service's access token.

import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';

/** The Google Cloud project that the service belongs to, and who it is there. */
export interface GoogleAccount {
  readonly projectId: string;
  /** A token that is valid now. Rejects when none is held and none could be fetched in time. */
  readonly accessToken: () => Promise<string>;
}

/** TLS, and with each call the access token. */
export function channelCredentials(accessToken: GoogleAccount['accessToken']): ChannelCredentials {
  const perCall = credentials.createFromMetadataGenerator((_, callback) => {
    accessToken()
      .then((token) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        return metadata;
      })
      .then((metadata) => callback(null, metadata), callback);
  });
  return credentials.combineChannelCredentials(credentials.createSsl(), perCall);
}
