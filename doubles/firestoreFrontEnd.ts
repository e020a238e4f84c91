// Stands in for Google's front end: the emulator behind TLS, the real name and HTTP/2, with its
// limits and whatever it may do to a call.

import * as http2 from 'node:http2';
import { createServer as createTlsServer } from 'node:tls';
import { listen } from './listen.ts';

/** Google's front ends take this many calls at once on a connection. */
const STREAMS_PER_CONNECTION = 100;
const SESSION_MEMORY_MB = 10_000;
/** Google's own clients ping every 30 seconds; its rule is not published. */
const PING_INTERVAL_MIN_MS = 10_000;

const { NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants;

export type Method = 'BatchGetDocuments' | 'RunQuery';

/**
 * What happens to a call.
 *
 * @param pass passes it on to the emulator, and returns the emulator's side of it
 */
export type CallFault = (
  call: http2.ServerHttp2Stream,
  pass: () => http2.ClientHttp2Stream,
) => void;

export interface FirestoreFrontEnd {
  readonly port: number;
  /** Where TLS connections are made and nothing is ever sent over them. */
  readonly silentPort: number;
  /** The headers of each call that has arrived. */
  readonly calls: http2.IncomingHttpHeaders[];
  /** What happens to the next calls of a method: each gets the next of these faults, then none. */
  failNext(method: Method, ...faults: readonly CallFault[]): void;
  /** How many connections are open. */
  connections(): number;
  /** How many connections were closed because they pinged too often. */
  pingedTooOften(): number;
  close(): void;
}

/**
 * @param certificate the server's key and certificate, PEM
 * @param firestore host:port of the emulator that stands behind
 */
export async function createFirestoreFrontEnd(
  certificate: { readonly key: string; readonly cert: string },
  firestore: string,
): Promise<FirestoreFrontEnd> {
  const calls: http2.IncomingHttpHeaders[] = [];
  const faults: Record<Method, CallFault[]> = { BatchGetDocuments: [], RunQuery: [] };
  const sessions = new Set<http2.ServerHttp2Session>();
  let pingedTooOften = 0;

  const emulator = http2.connect(`http://${firestore}`);
  const server = http2.createSecureServer({
    ...certificate,
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION },
    // Unset, Node refuses calls while 10 MB are in memory.
    maxSessionMemory: SESSION_MEMORY_MB,
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A connection that goes away is for the function to notice.
    session.on('error', () => undefined);
    refuseFrequentPings(session, () => {
      pingedTooOften += 1;
    });
  });
  server.on('stream', (call, headers) => {
    calls.push(headers);
    call.on('error', () => undefined);
    const pass = () => passOn(call, headers, emulator);
    const fault = faults[headers[':path']?.split('/').at(-1) as Method]?.shift();
    if (fault) fault(call, pass);
    else pass();
  });
  const silent = createTlsServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined).resume();
  });
  return {
    port: await listen(server as unknown as typeof silent),
    silentPort: await listen(silent),
    calls,
    failNext(method, ...next) {
      faults[method] = [...next];
    },
    connections: () => sessions.size,
    pingedTooOften: () => pingedTooOften,
    close() {
      emulator.destroy();
      for (const session of sessions) session.destroy();
      server.close();
      silent.close();
    },
  };
}

function passOn(
  call: http2.ServerHttp2Stream,
  { ':authority': _, ...headers }: http2.IncomingHttpHeaders,
  emulator: http2.ClientHttp2Session,
): http2.ClientHttp2Stream {
  const far = emulator.request({ ...headers, authorization: 'Bearer owner' });
  far.on('response', (response) => {
    const isWhole = response['grpc-status'] !== undefined;
    if (!call.destroyed) {
      call.respond(response, isWhole ? { endStream: true } : { waitForTrailers: true });
    }
  });
  far.on('trailers', (trailers) => {
    call.on('wantTrailers', () => call.sendTrailers(trailers));
  });
  call.pipe(far).pipe(call);
  // A call that is cut off is what a test is about; its other half goes with it.
  call.on('close', () => far.close());
  far.on('error', () => call.destroy());
  return far;
}

/** Closes a connection over which a ping follows another too soon, with nothing sent in between. */
function refuseFrequentPings(session: http2.ServerHttp2Session, onRefused: () => void): void {
  let pingedAt = Number.NEGATIVE_INFINITY;
  session.on('stream', (stream) => {
    stream.on('close', () => {
      pingedAt = Number.NEGATIVE_INFINITY;
    });
  });
  session.on('ping', () => {
    const now = performance.now();
    if (now - pingedAt < PING_INTERVAL_MIN_MS) {
      onRefused();
      session.goaway(NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
      session.destroy();
    }
    pingedAt = now;
  });
}
