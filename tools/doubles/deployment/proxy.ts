// A proxy that responds to a program's requests to Google over TLS, under Google's real host names. gcloud and
// firebase-tools run unchanged, with this proxy and its certificate. No request leaves this machine.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../sandbox/freePort.ts';
import { createCertificate } from '../certificate.ts';

const NAMES = ['*.googleapis.com', '*.google.com', '*.firebaseio.com', 'registry.npmjs.org'];

export interface Call {
  /** For example POST run.googleapis.com/v2/projects/p/locations/l/jobs, without the query. */
  readonly what: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed body if it is JSON, otherwise its bytes. */
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

export interface Proxy extends AsyncDisposable {
  /** Every request so far. */
  readonly calls: Call[];
  /** The path of the certificate's file. */
  readonly certificate: string;
  readonly url: string;
}

/** @param respond decides on the response to each request */
export async function startProxy(respond: (call: Call) => Reply): Promise<Proxy> {
  const { key, cert, file } = await createCertificate(NAMES);
  const calls: Call[] = [];

  const services = createHttpsServer({ key, cert }, async (request, response) => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', `https://${headers.host}`);
    const bytes = await buffer(request);
    const call = {
      what: `${method} ${url.host}${url.pathname}`,
      method,
      host: url.host,
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      body: parsed(bytes),
    };
    calls.push(call);
    const { status = 200, body } = respond(call);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const proxy = createHttpServer();
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    services.emit('connection', socket);
  });
  const port = await listen(proxy);
  return {
    calls,
    certificate: file,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      services.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes;
  }
}
