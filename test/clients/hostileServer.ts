// A server that responds as the service never does, and the stranger to whom it redirects. The first part
// of the path says how; the second is the client's name.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { lookupExamples } from '../../openapi/examples.ts';
import { portOf } from '../../sandbox/freePort.ts';

export const { byWallet } = lookupExamples();
const GOOD = JSON.stringify(byWallet.value);
const LIE = JSON.stringify({ attestations: [], hasVerifiedHuman: true });
/** What a client may accept at most, and more. */
const TOO_LONG_BYTES = 2 ** 26 + 2 ** 20;

type Responder = (response: ServerResponse, request: IncomingMessage) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const page =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Hello</h1>');
const redirect =
  (status: number): Responder =>
  (response) =>
    response.writeHead(status, { Location: `${strangerUrl}/redirected` }).end();

/** Writes the same part until the client hangs up. */
const repeat = (response: ServerResponse, part: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => response.write(part), everyMs);
  response.on('close', () => clearInterval(timer));
};
const changed = (fields: object): object => ({ ...byWallet.value, ...fields });
const echo = ({ url, headers }: IncomingMessage): string =>
  `${decodeURIComponent(url ?? '')} ${url} ${headers['x-poh-api-key']} \u001b[31m`;

export const RESPONDERS: Readonly<Record<string, Responder>> = {
  good: json(200, GOOD),
  compressed: (response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      .end(gzipSync(GOOD)),
  toCome: json(
    200,
    changed({
      hasFounded: true,
      attestations: [{ ...byWallet.value.attestations[0], attestationType: 9, status: 'final' }],
    }),
  ),
  redirect301: redirect(301),
  redirect302: redirect(302),
  redirect307: redirect(307),
  redirect308: redirect(308),
  redirectWithBody: (response) =>
    response.writeHead(302, { Location: `${strangerUrl}/redirected` }).end(LIE),
  page404: page(404),
  page403: page(403),
  unknownCode: json(404, { error: 'Not here.', code: 'new_code', requestId: 'r-1' }),
  byToken: (response, request) => {
    const [, token] = request.url?.split('token=') ?? [];
    const isUnknown = token?.startsWith('unknown');
    const unknown = json(404, { error: 'No.', code: 'token_not_found', requestId: 'r-4' });
    // Later than the next request, so that as many as allowed are open at once.
    setTimeout(() => (isUnknown ? unknown : json(200, GOOD))(response, request), 20);
  },
  unauthorized: json(401, { error: 'No.', code: 'unauthorized', requestId: 'r-2' }),
  echoing: (response, request) =>
    json(400, { error: echo(request), code: 'invalid_wallet', requestId: echo(request) })(
      response,
      request,
    ),
  echoingStatusLine: (response, request) => {
    response.socket?.end(`HTTP/1.1 ${echo(request)}\r\n\r\n`);
  },
  page200: page(200),
  empty200: json(200, ''),
  null200: json(200, 'null'),
  list200: json(200, [byWallet.value]),
  lie: json(200, LIE),
  lieText: json(200, changed({ hasVerifiedHuman: 'true' })),
  lieNull: json(200, changed({ attestations: null })),
  lieEntry: json(200, changed({ attestations: [{ attestationType: 0, status: 'confirmed' }] })),
  otherWallet: json(200, changed({ wallet: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' })),
  notUtf8: (response) =>
    response.writeHead(200).end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD)])),
  notGzip: json(200, GOOD, { 'Content-Encoding': 'gzip' }),
  noContent: (response) => response.writeHead(204).end(),
  busy: page(429),
  down: page(502),
  internal: json(500, { error: 'Oops.', code: 'internal', requestId: 'r-3' }),
  askingForAnHour: page(503, { 'Retry-After': '3600' }),
  closing: (response) => response.destroy(),
  cut: (response) => {
    response.writeHead(200, { 'Content-Length': GOOD.length });
    response.write(GOOD.slice(0, 100), () => response.destroy());
  },
  cutInChunks: (response) => {
    response.writeHead(200).write(GOOD.slice(0, 100), () => response.destroy());
  },
  stalling: () => undefined,
  stallingBody: (response) => void response.writeHead(200).write(GOOD.slice(0, 100)),
  drippingBody: (response) => repeat(response.writeHead(200), ' ', 50),
  drippingHeaders: ({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket?.write('X: 1\r\n'), 50);
    socket?.on('close', () => clearInterval(timer));
  },
  bomb: (response) =>
    response
      .writeHead(200, { 'Content-Encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(TOO_LONG_BYTES, ' '))),
};

let strangerUrl = '';

export interface HostileServer extends AsyncDisposable {
  /** @param how a responder; `recovering` is `down` twice, `patient` once with Retry-After, then good */
  readonly url: (how: string, client: string) => string;
  /** The times of the requests of each client for each response. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  /** What each client has sent for each response: the query, and the key. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  /** How many requests of each client were open at once, at most. */
  readonly mostAtOnce: ReadonlyMap<string, number>;
  /** What has reached the stranger: each request's target and key. */
  readonly strayed: readonly string[];
}

const SEQUENCES: Readonly<Record<string, readonly Responder[]>> = {
  recovering: [page(502), page(502)],
  patient: [page(503, { 'Retry-After': '1' })],
};

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${portOf(server)}`;
};

export async function startHostileServer(): Promise<HostileServer> {
  const times = new Map<string, number[]>();
  const sent = new Map<string, string[]>();
  const open = new Map<string, number>();
  const mostAtOnce = new Map<string, number>();
  const strayed: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const [, how = '', client = ''] = url.split('/');
    const key = `${how} ${client}`;
    sent.set(key, [...(sent.get(key) ?? []), `${url.split('?')[1]} ${headers['x-poh-api-key']}`]);
    const atOnce = (open.get(client) ?? 0) + 1;
    open.set(client, atOnce);
    mostAtOnce.set(client, Math.max(atOnce, mostAtOnce.get(client) ?? 0));
    response.on('close', () => open.set(client, (open.get(client) ?? 0) - 1));
    const before = times.get(key) ?? [];
    times.set(key, [...before, performance.now()]);
    const respond = SEQUENCES[how]?.[before.length] ?? RESPONDERS[how] ?? json(200, GOOD);
    respond(response, request);
  });
  const stranger = createServer((request, response) => {
    strayed.push(`${request.url} ${request.headers['x-poh-api-key']}`);
    json(200, LIE)(response, request);
  });
  const address = await listen(server);
  strangerUrl = `http://${(await listen(stranger)).replace('127.0.0.1', 'localhost')}`;
  return {
    url: (how, client) => `http://${address}/${how}/${client}`,
    times,
    sent,
    mostAtOnce,
    strayed,
    async [Symbol.asyncDispose]() {
      for (const each of [server, stranger]) {
        each.closeAllConnections();
        each.close();
        await once(each, 'close');
      }
    },
  };
}
