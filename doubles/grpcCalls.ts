// Firestore's gRPC calls, which the command line makes: passed on to the emulator, or refused.

import * as http2 from 'node:http2';

export interface GrpcCalls {
  /** Takes a connection that was negotiated to be HTTP/2. */
  readonly take: (socket: NodeJS.Socket) => void;
  /** Refuses all calls from now on, with a gRPC status and its message; undefined passes them on. */
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
      pass(call, headers, emulator);
    }
  });
  return {
    take: (socket) => void server.emit('connection', socket),
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

function pass(
  call: http2.ServerHttp2Stream,
  { ':authority': _, ...headers }: http2.IncomingHttpHeaders,
  emulator: http2.ClientHttp2Session,
): void {
  const far = emulator.request({ ...headers, authorization: 'Bearer owner' });
  far.on('response', (response) => {
    const isWhole = response['grpc-status'] !== undefined;
    if (!call.destroyed) call.respond(response, { endStream: isWhole, waitForTrailers: !isWhole });
  });
  far.on('trailers', (trailers) => call.on('wantTrailers', () => call.sendTrailers(trailers)));
  far.on('error', () => call.destroy());
  call.on('close', () => far.close());
  call.pipe(far).pipe(call);
}
