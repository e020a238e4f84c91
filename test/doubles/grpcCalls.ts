// Forwards the command line's gRPC calls for Firestore to the emulator, and can refuse them or lose their replies.

import * as http2 from 'node:http2';

/** `ended` ends the call without a status, and `silent` never replies. The emulator has then done what was requested. */
type Fault = 'refused' | 'ended' | 'silent';

export type GrpcCalls = ReturnType<typeof createGrpcCalls>;

const REFUSAL = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '7',
  'grpc-message': 'Missing or insufficient permissions.',
};

/** @param firestore host:port of the emulator */
export function createGrpcCalls(firestore: string) {
  const sessions = new Set<http2.Http2Session>();
  const faults = new Map<string, Fault>();
  let emulator: http2.ClientHttp2Session | undefined;
  const server = http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (call, { ':authority': _, ...headers }) => {
    call.on('error', () => undefined);
    const fault = faults.get(headers[':path']?.split('/').at(-1) ?? '');
    if (fault === 'refused') {
      call.respond(REFUSAL, { endStream: true });
      return;
    }
    emulator ??= http2.connect(`http://${firestore}`);
    const upstream = emulator.request({ ...headers, authorization: 'Bearer owner' });
    upstream.on('error', () => call.destroy());
    call.pipe(upstream);
    if (fault === 'ended') upstream.on('response', () => call.close());
    // The emulator goes on with what was requested, also if the command line gives up.
    if (fault) return;
    call.on('close', () => upstream.close());
    upstream.on('response', (response) => {
      const isComplete = response['grpc-status'] !== undefined;
      if (call.destroyed) return;
      call.respond(response, { endStream: isComplete, waitForTrailers: !isComplete });
    });
    upstream.on('trailers', (trailers) =>
      call.on('wantTrailers', () => call.sendTrailers(trailers)),
    );
    upstream.pipe(call);
  });
  return {
    /** Accepts a connection that has negotiated HTTP/2. */
    accept: (socket: NodeJS.Socket) => void server.emit('connection', socket),
    /** Applies a fault to the calls of a method from now on. */
    failAll: (method: string, fault: Fault) => void faults.set(method, fault),
    close() {
      emulator?.destroy();
      for (const session of sessions) session.destroy();
    },
  };
}
