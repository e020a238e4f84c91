// Responses for the tests of the clients, most of which the service never sends.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { lookupExamples } from '../../site/contract/examples.ts';

export const { byWallet } = lookupExamples();
export const GOOD = JSON.stringify(byWallet.value);
export const LIE = JSON.stringify({ attestations: [], hasVerifiedHuman: true });
/** A small response that decompresses to more bytes than a client may accept. */
const BOMB = gzipSync(Buffer.alloc(2 ** 26 + 2 ** 20, ' '));

/** @param thirdParty the address of the third-party server to redirect to */
export type Responder = (
  response: ServerResponse,
  request: IncomingMessage,
  thirdParty: string,
) => void;

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
export const page =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Hello</h1>');
const redirect =
  (status: number): Responder =>
  (response, _request, thirdParty) =>
    response.writeHead(status, { Location: `${thirdParty}/redirected` }).end();

/** Writes the same part until the client closes the connection. */
const repeat = (response: ServerResponse, part: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => response.write(part), everyMs);
  response.on('close', () => clearInterval(timer));
};
const changed = (fields: object): object => ({ ...byWallet.value, ...fields });
const echo = ({ url, headers }: IncomingMessage): string =>
  `${decodeURIComponent(url ?? '')} ${url} ${headers['x-poh-api-key']} \u001b[31m`;

export const RESPONDERS: Readonly<Record<string, Responder>> = {
  good: json(200, GOOD, { 'X-Request-Id': 'r-6' }),
  interim: (response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.end(GOOD));
  },
  compressed: (response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      .end(gzipSync(GOOD)),
  laterVersion: json(
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
  redirectWithBody: (response, _request, thirdParty) =>
    response.writeHead(302, { Location: `${thirdParty}/redirected` }).end(LIE),
  page404: page(404),
  page403: page(403),
  unknownCode: json(404, { error: 'Not here.', code: 'new_code', requestId: 'r-1' }),
  unauthorized: json(401, { error: 'No.', code: 'unauthorized', requestId: 'r-2' }),
  echoing: (response, request, thirdParty) => {
    const [error, code, requestId] = [echo(request), 'invalid_wallet', echo(request)];
    json(400, { error, code, requestId })(response, request, thirdParty);
  },
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
  internalPage: page(500, { 'X-Request-Id': 'r-5' }),
  echoingRequestId: (response, { url = '', headers }) =>
    response.writeHead(502, { 'X-Request-Id': `${url} ${headers['x-poh-api-key']}` }).end(),
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
  bomb: (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(BOMB),
};
