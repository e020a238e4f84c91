// Stands in for Google's servers around a deployed function: the metadata server, and Firestore, Authentication and the
// exchange of credentials by their names and over TLS, each behind a network that can fail.

import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { EMULATED_PROJECT } from '../sandbox/emulatorAddresses.ts';
import { type Certificate, createCertificate } from './certificate.ts';
import { cloudLogging, type LogEntry } from './cloudLogging.ts';
import { createGrpcCalls, type GrpcCalls } from './grpcCalls.ts';
import { listen } from './listen.ts';
import { createMetadataServer, type MetadataServer } from './metadataServer.ts';
import { Relay } from './relay.ts';
import { emulated, StandIn, type ToReply } from './standIn.ts';

const FIRESTORE = 'firestore.googleapis.com';
const AUTHENTICATION = 'identitytoolkit.googleapis.com';
const LOGGING = 'logging.googleapis.com';
const EXCHANGE = 'oauth2.googleapis.com';
/** What credentials are exchanged for. */
export const EXCHANGED_TOKEN = 'access-token-of-the-credentials';

/** A service and the network in front of it. */
export interface Reached {
  readonly service: StandIn;
  readonly network: Relay;
  /** Closes the connections that are idle. */
  readonly closeIdle: () => void;
}

export interface GoogleCloud {
  /** The environment of a deployed function, the emulators' left out. */
  readonly env: Record<string, string>;
  readonly metadata: MetadataServer;
  readonly firestore: Reached;
  readonly accounts: Reached;
  readonly exchange: Reached;
  readonly logging: Reached;
  /** What is in the log. */
  readonly entries: LogEntry[];
  readonly grpc: GrpcCalls;
  close(): void;
}

/**
 * Creates it in front of the emulators that this process's environment names.
 *
 * @param behind changes how the calls that reach them are replied to
 */
export async function createGoogleCloud(
  behind: (reply: ToReply) => ToReply = (reply) => reply,
): Promise<GoogleCloud> {
  const { FIRESTORE_EMULATOR_HOST = '', FIREBASE_AUTH_EMULATOR_HOST = '' } = process.env;
  const certificate = await createCertificate([FIRESTORE, AUTHENTICATION, EXCHANGE, LOGGING]);
  const grpc = createGrpcCalls(FIRESTORE_EMULATOR_HOST);
  const servers: (() => void)[] = [grpc.close];
  const serve = async (service: StandIn): Promise<Reached> => {
    const { port, closeIdle, close } = await serveTls(service, certificate, grpc);
    const network = await Relay.to(`127.0.0.1:${port}`);
    servers.push(close, () => void network.close());
    return { service, network, closeIdle };
  };
  const firestore = await serve(new StandIn(behind(emulated(`http://${FIRESTORE_EMULATOR_HOST}`))));
  const accountsUrl = `http://${FIREBASE_AUTH_EMULATOR_HOST}/${AUTHENTICATION}`;
  const accounts = await serve(new StandIn(behind(emulated(accountsUrl))));
  const token = JSON.stringify({ access_token: EXCHANGED_TOKEN, expires_in: 3_600 });
  const exchange = await serve(new StandIn(() => ({ status: 200, body: token })));
  const entries: LogEntry[] = [];
  const logging = await serve(new StandIn(cloudLogging(entries)));
  const metadata = await createMetadataServer();
  servers.push(metadata.close);
  const standIns = {
    [FIRESTORE]: firestore.network.port,
    [AUTHENTICATION]: accounts.network.port,
    [EXCHANGE]: exchange.network.port,
    [LOGGING]: logging.network.port,
  };
  return {
    env: {
      FIRESTORE_EMULATOR_HOST: '',
      FIREBASE_AUTH_EMULATOR_HOST: '',
      // The demonstration's key signs beside an emulated database only.
      ANSWER_SIGNING_KEY: '',
      GCE_METADATA_HOST: metadata.host,
      STAND_INS: JSON.stringify(standIns),
      NODE_EXTRA_CA_CERTS: certificate.file,
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate.file,
      ...PLATFORM,
    },
    metadata,
    firestore,
    accounts,
    exchange,
    logging,
    entries,
    grpc,
    close() {
      for (const close of servers) close();
    },
  };
}

const REDIRECT = fileURLToPath(new URL('redirect.cjs', import.meta.url));

/** What Cloud Run and Firebase set for a function with 1 GiB of memory. */
const PLATFORM = {
  K_SERVICE: 'pohattestationsendpoint',
  FUNCTION_TARGET: 'pohAttestationsEndpoint',
  FUNCTION_SIGNATURE_TYPE: 'http',
  FIREBASE_CONFIG: JSON.stringify({ projectId: process.env['GCLOUD_PROJECT'] ?? EMULATED_PROJECT }),
  CLOUD_RUN_TIMEOUT_SECONDS: '30',
  LOG_EXECUTION_ID: 'true',
  NODE_OPTIONS: `--max-old-space-size=960 --require=${JSON.stringify(REDIRECT)}`,
};

/** Speaks HTTP/1.1 and, for Firestore's SDK, HTTP/2. */
async function serveTls(service: StandIn, certificate: Certificate, grpc: GrpcCalls) {
  const server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, service.serve);
  // Google's front ends keep an idle connection for minutes, and send no header about it.
  server.keepAliveTimeout = 0;
  const [takeHttp1] = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') grpc.take(socket);
    else takeHttp1?.call(server, socket);
  });
  return {
    port: await listen(server),
    closeIdle: () => server.closeIdleConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
