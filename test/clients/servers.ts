// A server with responses that the service never sends, which redirects to another name of itself. It is also reached
// over TLS, and through a proxy.

import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { listen } from '../../tools/sandbox/freePort.ts';
import { createCertificate } from '../doubles/certificate.ts';
import {
  good,
  LIE,
  RESPONSES,
  type Responder,
  respond,
  TO_MANY,
  type Traffic,
} from './responses.ts';

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

export async function startHostileServer() {
  const traffics = new Map<string, Traffic>();
  /** What a client has sent. @param client distinguishes clients that get the same responses */
  const traffic = (name: string, client: string): Traffic => {
    const key = `${name} ${client}`;
    const known = traffics.get(key) ?? { requests: [], open: 0, maxOpen: 0 };
    traffics.set(key, known);
    return known;
  };
  /** The target, which names the client, and the key of each request that followed a redirect. */
  const leakedRequests: string[] = [];
  const answer: RequestListener = (request, response) => {
    const { url = '', headers } = request;
    const [, name = '', client = ''] = url.split('/');
    if (name === 'redirected') {
      leakedRequests.push(`${url} ${headers['x-poh-api-key']}`);
      return void response.end(LIE);
    }
    const sent = `${url.split('?')[1]} ${headers['x-poh-api-key']} ${headers['user-agent']}`;
    const own = traffic(name, client);
    own.open += 1;
    const count = own.requests.push({ at: performance.now(), open: own.open, sent });
    own.maxOpen = Math.max(own.open, own.maxOpen);
    response.on('close', () => {
      own.open -= 1;
    });
    const sequence = RESPONSES[name]?.slice(0, -1) as readonly Responder[] | undefined;
    const responders = TO_MANY[name] ?? sequence ?? [good];
    respond(responders[count - 1] ?? responders.at(-1) ?? [404], response, own);
  };

  const { file, ...trusted } = await createCertificate(['localhost', 'poh.example']);
  const servers = {
    // Node would close idle connections after 5 s, in which a busy machine may not send the next request.
    plain: createServer({ keepAliveTimeout: 0 }, answer),
    tls: createTlsServer(trusted, answer),
    untrusted: createTlsServer(await createCertificate(['localhost']), answer),
    // It asks for credentials, and connects to only one name.
    proxy: createServer().on('connect', ({ headers, url }, socket) => {
      const credentials = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
      if (headers['proxy-authorization'] !== credentials || url !== 'poh.example:443')
        return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      const onwards = connect(tls, '127.0.0.1');
      onwards.pipe(socket).pipe(onwards);
      for (const end of [socket, onwards]) end.on('error', () => undefined);
    }),
  };
  const [plain = 0, tls = 0, untrusted = 0, proxy = 0] = await Promise.all(
    Object.values(servers).map((server) => listen(server)),
  );
  const overTls = `https://localhost:${tls}`;
  const others: Readonly<Record<string, string>> = {
    overTls,
    strayOverTls: overTls,
    untrusted: `https://localhost:${untrusted}`,
    plainPort: `https://localhost:${plain}`,
    allowed: `http://0.0.0.0:${plain}`,
    otherName: `https://127.0.0.1:${tls}`,
    throughProxy: 'https://poh.example',
    refusedByProxy: 'https://other.example',
    // With connections that no other lookup uses.
    stray: `http://localhost:${plain}`,
  };
  return {
    /** @param name of the responses */
    url: (name: string, client: string) =>
      `${others[name] ?? `http://127.0.0.1:${plain}`}/${name}/${client}`,
    traffic,
    leakedRequests,
    /** The environment of a machine that trusts one certificate, and uses the proxy for other machines. */
    env: {
      ...{ NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file },
      ...{ NODE_USE_ENV_PROXY: '1', NO_PROXY: 'localhost,127.0.0.1' },
      HTTPS_PROXY: `http://us%40er:pa%3Ass@127.0.0.1:${proxy}`,
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of Object.values(servers)) server.close().closeAllConnections();
    },
  };
}
