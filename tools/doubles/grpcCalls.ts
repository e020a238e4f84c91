// Forwards the command line's gRPC calls for Firestore to the emulator, or refuses them.

import * as http2 from 'node:http2';

export interface GrpcCalls {
  /** Accepts a connection that has negotiated HTTP/2. */
  readonly accept: (socket: NodeJS.Socket) => void;
  /**
   * Loses the replies to a method's calls from now on: it ends the calls without a status, or never
   * replies. The emulator has then done what was requested.
   *
   * @param onCall called with each such call
   */
  loseReplies(method: string, how: 'ended' | 'silent', onCall?: () => void): void;
  /**
   * Refuses calls from now on, with a gRPC status and message; undefined forwards them again.
   *
   * @param method only the calls of this method
   */
  refuseWith(refusal: readonly [number, string] | undefined, method?: string): void;
  close(): void;
}

/** @param firestore host:port of the emulator */
export function createGrpcCalls(firestore: string): GrpcCalls {
  const sessions = new Set<http2.ServerHttp2Session>();
  let refusal: http2.OutgoingHttpHeaders | undefined;
  let refused = '';
  let emulator: http2.ClientHttp2Session | undefined;
  let loss: Loss | undefined;
  const server = http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (call, headers) => {
    call.on('error', () => undefined);
    if (refusal && headers[':path']?.endsWith(refused)) call.respond(refusal, { endStream: true });
    else {
      emulator ??= http2.connect(`http://${firestore}`);
      const isLost = loss && headers[':path']?.endsWith(`/${loss.method}`);
      forward(call, headers, emulator, isLost ? loss : undefined);
    }
  });
  return {
    accept: (socket) => void server.emit('connection', socket),
    loseReplies(method, how, onCall) {
      loss = { method, how, onCall };
    },
    refuseWith(denial, method = '') {
      refused = method;
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

interface Loss {
  readonly method: string;
  readonly how: 'ended' | 'silent';
  readonly onCall: (() => void) | undefined;
}

function forward(
  call: http2.ServerHttp2Stream,
  { ':authority': _, ...headers }: http2.IncomingHttpHeaders,
  emulator: http2.ClientHttp2Session,
  loss: Loss | undefined,
): void {
  const upstream = emulator.request({ ...headers, authorization: 'Bearer owner' });
  upstream.on('response', (response) => {
    if (loss) {
      loss.onCall?.();
      if (loss.how === 'ended') call.close();
      return;
    }
    const isComplete = response['grpc-status'] !== undefined;
    if (call.destroyed) return;
    call.respond(response, { endStream: isComplete, waitForTrailers: !isComplete });
  });
  upstream.on('trailers', (trailers) => call.on('wantTrailers', () => call.sendTrailers(trailers)));
  upstream.on('error', () => call.destroy());
  call.on('close', () => upstream.close());
  call.pipe(upstream);
  if (!loss) upstream.pipe(call);
}
