// Stands in for Google's services with prepared responses: Firestore over gRPC and REST, Authentication and the
// metadata server, all on one port. Runs in a separate process, because the figures must not include its cost.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import * as http2 from 'node:http2';
import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { listen } from '../doubles/listen.ts';
import { EMAIL, walletOf } from './data.ts';

/** Starts the process. @returns its host:port, and a function that stops it */
export async function startPreparedDatabase(): Promise<{ host: string; stop: () => void }> {
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [host] = await once(child.stdout, 'data');
  return { host: String(host).trim(), stop: () => child.kill() };
}

async function serve(): Promise<void> {
  const { responseTo } = await import('./preparedResponses.ts');
  const customAttributes = JSON.stringify({ wallet: walletOf(5) });
  const account = JSON.stringify({ users: [{ localId: 'uid', email: EMAIL, customAttributes }] });
  // Firestore's emulator accepts this token too.
  const token = JSON.stringify({ access_token: 'owner', expires_in: 3_600, token_type: 'Bearer' });

  const rest = createHttpServer(async (request, response) => {
    const { url = '' } = request;
    const body = await buffer(request);
    response.setHeader('Content-Type', 'application/json; charset=UTF-8');
    response.setHeader('Metadata-Flavor', 'Google');
    if (url.includes('/computeMetadata/')) response.end(token);
    else if (url.endsWith('accounts:lookup')) response.end(account);
    else response.end(responseTo(body)[url.includes('prettyPrint=false') ? 'compact' : 'indented']);
  });
  // By default, Node refuses calls while a session holds 10 MB.
  const grpc = http2.createServer({ maxSessionMemory: 10_000 });
  grpc.on('stream', async (call) => {
    const { grpc: messages } = responseTo(await buffer(call));
    call.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    call.on('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
    call.end(messages);
  });
  // Ignored, because contestants drop their connections when they are stopped.
  for (const event of ['sessionError', 'clientError']) grpc.on(event, () => undefined);

  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const begin: Buffer | null = socket.read();
      if (!begin) return;
      socket.unshift(begin);
      // HTTP/2 begins with "PRI * HTTP/2.0".
      (begin.toString('latin1', 0, 3) === 'PRI' ? grpc : rest).emit('connection', socket);
    });
  });
  console.log(`127.0.0.1:${await listen(server)}`);
}

if (import.meta.main) await serve();
