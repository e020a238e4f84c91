// Forwards the command line's gRPC calls for Firestore to the emulator, or refuses them.

import * as http2 from 'node:http2';

export interface GrpcCalls {
  /** Accepts a connection that has negotiated HTTP/2. */
  readonly accept: (socket: NodeJS.Socket) => void;
  /** Refuses all calls from now on, with a gRPC status and message; undefined forwards them again. */
  refuseWith(refusal: readonly [number, string] | undefined): void;
  close(): void;
}

/** @param firestore host:port of the emulator */
export function createGrpcCalls(firestore: string): GrpcCalls {
  const sessions = new Set<http2.ServerHttp2Session>();
  let refusal: http2.OutgoingHttpHeaders | undefined;
  let emulator: http2.ClientHttp2Session | undefined;
  const server = http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (call, headers) => {
    call.on('error', () => undefined);
    if (refusal) call.respond(refusal, { endStream: true });
    else {
      emulator ??= http2.connect(`http://${firestore}`);
      forward(call, headers, emulator);
    }
  });
  return {
    accept: (socket) => void server.emit('connection', socket),
    refuseWith(denial) {
      refusal = denial && {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': `${denial[0]}`,
        'grpc-message': encodeURIComponent(denial[1]),
      };
    },
    close() {
      emulator?.destroy();
      for (const session of sessions) session.destroy();
    },
  };
}

function forward(
  call: http2.ServerHttp2Stream,
  { ':authority': _, ...headers }: http2.IncomingHttpHeaders,
  emulator: http2.ClientHttp2Session,
): void {
  const upstream = emulator.request({ ...headers, authorization: 'Bearer owner' });
  upstream.on('response', (response) => {
    const isComplete = response['grpc-status'] !== undefined;
    if (call.destroyed) return;
    call.respond(response, { endStream: isComplete, waitForTrailers: !isComplete });
  });
  upstream.on('trailers', (trailers) => call.on('wantTrailers', () => call.sendTrailers(trailers)));
  upstream.on('error', () => call.destroy());
  call.on('close', () => upstream.close());
  call.pipe(upstream).pipe(call);
}
