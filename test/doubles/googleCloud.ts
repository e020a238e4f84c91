// Stands in for the Google servers that a deployed function and the command line call. Firestore, Authentication and
// the endpoints for tokens use Google's host names and TLS, each behind a network that can fail. The metadata
// server, which issues access tokens, uses plain HTTP.

import { createServer as createHttpServer } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { fileURLToPath } from 'node:url';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { createCertificate } from './certificate.ts';
import { createGrpcCalls, type GrpcCalls } from './grpcCalls.ts';
import { Relay } from './relay.ts';
import { forwardTo, type Handler, ServiceDouble } from './serviceDouble.ts';

const FIRESTORE = 'firestore.googleapis.com';
const AUTHENTICATION = 'identitytoolkit.googleapis.com';
const TOKEN_ENDPOINT = 'oauth2.googleapis.com';
const IMPERSONATION = 'iamcredentials.googleapis.com';
const MONITORING = 'monitoring.googleapis.com';

/** The account to which Google issued every access token. */
export const ACCOUNT = 'ops@example.com';

/** A service and the network in front of it. */
export interface NetworkedService {
  readonly service: ServiceDouble;
  readonly network: Relay;
}

export interface GoogleCloud {
  /** The environment of a deployed function. The emulators' variables are empty. */
  readonly env: Record<string, string>;
  readonly metadata: Awaited<ReturnType<typeof createMetadataServer>>;
  readonly firestore: NetworkedService;
  readonly accounts: NetworkedService;
  /** Exchanges credentials for access tokens, also for those of a service account. */
  readonly tokenEndpoint: NetworkedService;
  readonly monitoring: NetworkedService;
  /** Cloud Monitoring's reply to a query for time series, which is empty at first. */
  timeSeries: (query: URLSearchParams) => object;
  close(): void;
}

/**
 * Creates the test doubles. Firestore and Authentication forward calls to the emulators that this process's
 * environment names.
 *
 * @param wrap wraps the handlers that forward calls to the emulators
 */
export async function createGoogleCloud(
  wrap: (handler: Handler) => Handler = (handler) => handler,
): Promise<GoogleCloud> {
  const { FIRESTORE_EMULATOR_HOST = '', FIREBASE_AUTH_EMULATOR_HOST = '' } = process.env;
  const certificate = await createCertificate([
    FIRESTORE,
    AUTHENTICATION,
    TOKEN_ENDPOINT,
    IMPERSONATION,
    MONITORING,
  ]);
  const grpc = createGrpcCalls(FIRESTORE_EMULATOR_HOST);
  const closings: (() => unknown)[] = [grpc.close];
  const serve = async (service: ServiceDouble): Promise<NetworkedService> => {
    const server = createTlsServer(service, certificate, grpc);
    const network = await Relay.to(await listen(server));
    closings.push(() => server.close().closeAllConnections());
    closings.push(() => network.close());
    return { service, network };
  };
  const firestore = await serve(
    new ServiceDouble(wrap(forwardTo(`http://${FIRESTORE_EMULATOR_HOST}`))),
  );
  const accountsUrl = `http://${FIREBASE_AUTH_EMULATOR_HOST}/${AUTHENTICATION}`;
  const accounts = await serve(new ServiceDouble(wrap(forwardTo(accountsUrl))));
  const token = JSON.stringify({ access_token: 'access-token', expires_in: 3_600 });
  const account = JSON.stringify({ email: ACCOUNT });
  const tokenEndpoint = await serve(
    new ServiceDouble(({ method }) => ({
      status: 200,
      body: method === 'tokeninfo' ? account : token,
    })),
  );
  const monitoring = await serve(
    new ServiceDouble(({ path }) => {
      const { searchParams } = new URL(path, `https://${MONITORING}`);
      return { status: 200, body: JSON.stringify(cloud.timeSeries(searchParams)) };
    }),
  );
  const metadata = await createMetadataServer();
  closings.push(metadata.close);
  const doubles = {
    [FIRESTORE]: firestore.network.port,
    [AUTHENTICATION]: accounts.network.port,
    [TOKEN_ENDPOINT]: tokenEndpoint.network.port,
    [IMPERSONATION]: tokenEndpoint.network.port,
    [MONITORING]: monitoring.network.port,
    // Where Google documents it, for a program without GCE_METADATA_HOST.
    '169.254.169.254': Number(metadata.host.split(':')[1]),
  };
  const cloud: GoogleCloud = {
    env: {
      FIRESTORE_EMULATOR_HOST: '',
      FIREBASE_AUTH_EMULATOR_HOST: '',
      // The function refuses the demonstration's signing key unless its database is emulated.
      RESPONSE_SIGNING_KEY: '',
      GCE_METADATA_HOST: metadata.host,
      SERVICE_DOUBLES: JSON.stringify(doubles),
      NODE_EXTRA_CA_CERTS: certificate.file,
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate.file,
      ...PLATFORM,
    },
    metadata,
    firestore,
    accounts,
    tokenEndpoint,
    monitoring,
    timeSeries: () => ({}),
    close() {
      for (const close of closings) close();
    },
  };
  return cloud;
}

export async function createMetadataServer() {
  /** The issued tokens, newest last. */
  const tokens: string[] = [];
  /** Requests for tokens are recorded as calls of the method `token`. */
  const service: ServiceDouble = new ServiceDouble(({ method, headers }) => {
    // Google's libraries also request other paths.
    if (method !== 'token') return { status: 404, body: '' };
    if (headers['metadata-flavor'] !== 'Google') return { status: 403, body: '' };
    const access_token = `access-token-${tokens.length + 1}`;
    tokens.push(access_token);
    const body = { access_token, expires_in: metadata.lifetimeSeconds, token_type: 'Bearer' };
    return { status: 200, body: JSON.stringify(body) };
  });
  const server = createHttpServer((request, response) => {
    response.setHeader('Metadata-Flavor', 'Google');
    void service.serve(request, response);
  });
  const metadata = {
    host: `127.0.0.1:${await listen(server)}`,
    service,
    tokens,
    /** Of the tokens that are issued from now on. */
    lifetimeSeconds: 3_600,
    close: () => void server.close().closeAllConnections(),
  };
  return metadata;
}

const REDIRECT = fileURLToPath(new URL('redirect.cjs', import.meta.url));

/** The variables that Cloud Run and Firebase set for a function with 1 GiB of memory. */
export const PLATFORM = {
  K_SERVICE: 'pohattestationsendpoint',
  FUNCTION_TARGET: ENDPOINT_NAME,
  FUNCTION_SIGNATURE_TYPE: 'http',
  GCLOUD_PROJECT: process.env['GCLOUD_PROJECT'] ?? EMULATED_PROJECT,
  CLOUD_RUN_TIMEOUT_SECONDS: '30',
  LOG_EXECUTION_ID: 'true',
  NODE_OPTIONS: `--max-old-space-size=960 --require=${JSON.stringify(REDIRECT)}`,
};

/** Serves HTTP/1.1, and HTTP/2 for Firestore's SDK. */
function createTlsServer(service: ServiceDouble, tls: ServerOptions, grpc: GrpcCalls) {
  const server = createServer({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, service.serve);
  // Google's front ends keep idle connections for minutes and send no Keep-Alive header.
  server.keepAliveTimeout = 0;
  const [acceptHttp1] = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') grpc.accept(socket);
    else acceptHttp1?.call(server, socket);
  });
  return server;
}
