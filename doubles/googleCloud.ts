// Stands in for Google's servers around a deployed function: a metadata server that issues
// access tokens, and the database behind a network that can fail.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { createFirestoreFrontEnd, type FirestoreFrontEnd } from './firestoreFrontEnd.ts';
import { createLossyNetwork, type LossyNetwork } from './lossyNetwork.ts';
import { createMetadataServer, type MetadataServer } from './metadataServer.ts';

const DATABASE_HOST = 'firestore.googleapis.com';

export interface GoogleCloud {
  /** The environment of a deployed function, the emulators' left out. */
  readonly env: Record<string, string>;
  readonly metadata: MetadataServer;
  readonly database: FirestoreFrontEnd;
  /** Between the function and the database. */
  readonly network: LossyNetwork;
  close(): void;
}

/** @param firestore host:port of the emulator that stands behind */
export async function createGoogleCloud(firestore: string): Promise<GoogleCloud> {
  const metadata = await createMetadataServer();
  const { private: key, cert } = await generate([{ name: 'commonName', value: DATABASE_HOST }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: DATABASE_HOST }] }],
  });
  const roots = join(mkdtempSync(join(tmpdir(), 'roots-')), 'roots.pem');
  writeFileSync(roots, cert);
  const database = await createFirestoreFrontEnd({ key, cert }, firestore);
  const { port, silentPort } = database;
  const network = await createLossyNetwork(`${DATABASE_HOST}:443`, port, silentPort);
  return {
    env: {
      FIRESTORE_EMULATOR_HOST: '',
      K_SERVICE: 'pohattestationsendpoint',
      GCE_METADATA_HOST: metadata.host,
      grpc_proxy: `http://${network.host}`,
      no_grpc_proxy: '',
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: roots,
    },
    metadata,
    database,
    network,
    close() {
      metadata.close();
      network.close();
      database.close();
    },
  };
}
