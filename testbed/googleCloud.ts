// Stands where Google's servers stand for a deployed function: a metadata server that gives out
// access tokens, and the emulator behind the TLS, the name and the limits of the real database.

import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import * as http2 from 'node:http2';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { portOf } from './freePort.ts';
import { createMetadataServer, type MetadataServer } from './metadataServer.ts';

const DATABASE_HOST = 'firestore.googleapis.com';
/** Google's front ends take this many calls at once on a connection. */
const STREAMS_PER_CONNECTION = 100;

export interface GoogleCloud {
  /** The environment of a deployed function, the emulators' left out. */
  readonly env: Record<string, string>;
  readonly metadata: MetadataServer;
  /** The headers of each call that has reached the database. */
  readonly calls: http2.IncomingHttpHeaders[];
  /** The database is not available to so many calls. */
  refuseCalls(count: number): void;
  /** The next query's answer is cut off after its first bytes. */
  cutOffQuery(): void;
  close(): void;
}

/** @param firestore host:port of the emulator that stands behind */
export async function createGoogleCloud(firestore: string): Promise<GoogleCloud> {
  const calls: http2.IncomingHttpHeaders[] = [];
  let refusals = 0;
  let isToCutOff = false;

  const metadata = await createMetadataServer();
  const { private: key, cert } = await generate([{ name: 'commonName', value: DATABASE_HOST }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: DATABASE_HOST }] }],
  });
  const roots = join(mkdtempSync(join(tmpdir(), 'roots-')), 'roots.pem');
  writeFileSync(roots, cert);
  const emulator = http2.connect(`http://${firestore}`);
  const database = http2.createSecureServer({
    key,
    cert,
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION },
  });
  database.on('stream', (near, headers) => {
    calls.push(headers);
    if (refusals > 0) {
      refusals -= 1;
      const unavailable = { 'content-type': 'application/grpc', 'grpc-status': '14' };
      near.respond(unavailable, { endStream: true });
      return;
    }
    const { ':authority': _, ...passed } = headers;
    const far = emulator.request({ ...passed, authorization: 'Bearer owner' });
    far.on('response', (answer) => {
      const isWhole = answer['grpc-status'] !== undefined;
      near.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true });
    });
    far.on('trailers', (trailers) => {
      near.on('wantTrailers', () => near.sendTrailers(trailers));
    });
    near.pipe(far).pipe(near);
    // A stream that is cut off is what a test is about; its other half goes with it.
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    if (isToCutOff && headers[':path']?.endsWith('RunQuery')) {
      isToCutOff = false;
      far.once('data', () =>
        setImmediate(() => near.close(http2.constants.NGHTTP2_INTERNAL_ERROR)),
      );
    }
  });

  // gRPC asks for this proxy by name, so that the function itself calls the real host.
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket) => {
    const isDatabase = request.url === `${DATABASE_HOST}:443`;
    const far = connect(isDatabase ? portOf(database) : 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    // What goes elsewhere, or goes away, is for the function to notice.
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });

  const servers: Server[] = [database as unknown as Server, proxy];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return {
    env: {
      FIRESTORE_EMULATOR_HOST: '',
      K_SERVICE: 'pohattestationsendpoint',
      GCE_METADATA_HOST: metadata.host,
      grpc_proxy: `http://127.0.0.1:${portOf(proxy)}`,
      no_grpc_proxy: '',
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: roots,
    },
    metadata,
    calls,
    refuseCalls(count) {
      refusals = count;
    },
    cutOffQuery() {
      isToCutOff = true;
    },
    close() {
      metadata.close();
      emulator.destroy();
      for (const server of servers) server.close();
    },
  };
}
