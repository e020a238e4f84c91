// Responses that the service never sends, each with the documented outcome of a lookup.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { ERRORS } from '../../functions/src/errors.ts';
import { openapiDocument } from '../../site/contract/document.ts';
import { lookupExamples } from '../../site/contract/examples.ts';
import type { Schema } from '../../site/contract/schemas.ts';
import type { Outcome } from './drivers.ts';

export const RESULT = lookupExamples().byWallet.value;
const GOOD = JSON.stringify(RESULT);
export const LIE = JSON.stringify({ attestations: [], hasVerifiedHuman: true });
/** A small response that decompresses to more bytes than a client may accept. */
const BOMB = gzipSync(Buffer.alloc(2 ** 26 + 2 ** 20, ' '));

/** @param thirdParty the address of the third-party server to redirect to */
export type Responder = (
  response: ServerResponse,
  request: IncomingMessage,
  thirdParty: string,
) => void;

export interface Expected extends Partial<Outcome> {
  /** The number of requests; undefined if an attempt can time out before its request arrives. */
  readonly attempts?: number;
  /** The expected message. */
  readonly says?: RegExp;
}

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
  (status: number, body = ''): Responder =>
  (response, _request, thirdParty) =>
    response.writeHead(status, { Location: `${thirdParty}/redirected` }).end(body);
const changed = (fields: object): Responder => json(200, { ...RESULT, ...fields });
const echo = ({ url, headers }: IncomingMessage): string =>
  `${decodeURIComponent(url ?? '')} ${url} ${headers['x-poh-api-key']} \u001b[31m`;
/** Writes the same part until the client closes the connection. */
const repeat = ({ socket }: ServerResponse, part: string): void => {
  const timer = setInterval(() => socket?.write(part), 50);
  socket?.on('close', () => clearInterval(timer));
};

const FOUND: Expected = { kind: 'ok', attempts: 1 };
const refused = (status: number, code: string, more: Expected = {}): Expected => ({
  ...{ kind: 'refused', attempts: 1, status, code },
  ...more,
});
const elsewhere = (status: number, says = /check the address/i) =>
  refused(status, 'not_the_service', { says, isAboutSubject: false });
const redirected = (status: number) => elsewhere(status, /redirect/);
const tooLong = (status: number) =>
  refused(status, 'not_the_service', { says: /is too long/, isAboutSubject: true });
const unavailable = (says: RegExp, more: Expected = {}): Expected => ({
  ...{ kind: 'unavailable', attempts: 4, says },
  ...more,
});
const FAILED = unavailable(/attempt 4 of 4/i);
const NOT_OURS = unavailable(/not from the service/);
const TOO_LATE: Expected = {
  kind: 'unavailable',
  says: /attempt [123] of 4 failed \(no response within/i,
};

const good: Responder = (response, request, thirdParty) => {
  // Only a lookup by wallet returns it.
  const body = request.url?.includes('wallet=') ? RESULT : { ...RESULT, wallet: undefined };
  json(200, body, { 'X-Request-Id': 'r-6' })(response, request, thirdParty);
};
const [entry] = RESULT.attestations;
const { Attestation, LookupResult } = openapiDocument().components.schemas;
const withoutOptional = (object: object, schema?: Schema): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => schema?.required?.includes(name)));

/** Each refusal; a client tries again after the others. */
const REFUSALS = Object.entries(ERRORS)
  .filter(([, { status }]) => ![429, 500].includes(status))
  .map(([code, { status, message, isAboutSubject }]) => {
    const body = { error: message, code, requestId: 'r-1' };
    return [code, [json(status, body), refused(status, code, { isAboutSubject })]] as const;
  });

/** The responses to a client's requests, of which the last repeats, and the outcome of a lookup. */
export const RESPONSES: Readonly<Record<string, readonly [...Responder[], Expected]>> = {
  ...Object.fromEntries(REFUSALS),
  good: [good, FOUND],
  interim: [
    (response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.end(GOOD));
    },
    FOUND,
  ],
  compressed: [
    (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(GOOD)),
    FOUND,
  ],
  laterVersion: [
    changed({ new: 1, attestations: [{ ...entry, attestationType: 9, status: 'final' }] }),
    FOUND,
  ],
  minimal: [
    json(200, {
      ...withoutOptional(RESULT, LookupResult),
      wallet: RESULT.wallet,
      attestations: RESULT.attestations.map((one) => withoutOptional(one, Attestation)),
    }),
    FOUND,
  ],
  requestTimeout: [page(408), good, { ...FOUND, attempts: 2 }],
  tooEarly: [page(425), good, { ...FOUND, attempts: 2 }],
  recovering: [page(502), page(502), good, { ...FOUND, attempts: 3 }],
  patient: [page(503, { 'Retry-After': '1' }), good, { ...FOUND, attempts: 2 }],
  redirect301: [redirect(301), redirected(301)],
  redirect307: [redirect(307), redirected(307)],
  redirectWithBody: [redirect(302, LIE), redirected(302)],
  page404: [page(404), elsewhere(404)],
  page403: [page(403), elsewhere(403)],
  page414: [page(414), tooLong(414)],
  page431: [page(431), tooLong(431)],
  codeWith431: [
    json(431, { error: 'Too many headers.', code: 'malformed_request' }),
    refused(431, 'malformed_request', { isAboutSubject: true }),
  ],
  codeOfAnotherServer: [json(404, { code: 'not_found', message: 'Hello' }), elsewhere(404)],
  unknownCode: [
    json(404, { error: 'Not here.', code: 'new_code', requestId: 'r-1' }),
    refused(404, 'new_code', { requestId: 'r-1', isAboutSubject: true }),
  ],
  unknownStatus: [
    json(410, { error: 'No longer here.', code: 'gone' }),
    refused(410, 'gone', { isAboutSubject: true }),
  ],
  unknownRight: [
    json(403, { error: 'Not with this key.', code: 'new_right' }),
    refused(403, 'new_right', { isAboutSubject: false }),
  ],
  withoutRequestId: [
    json(401, { error: 'No.', code: 'unauthorized' }),
    { ...refused(401, 'unauthorized'), says: /401 unauthorized/ },
  ],
  echoing: [
    (response, request, thirdParty) => {
      const [error, code, requestId] = [echo(request), 'invalid_wallet', echo(request)];
      json(400, { error, code, requestId })(response, request, thirdParty);
    },
    refused(400, 'invalid_wallet'),
  ],
  echoingStatusLine: [
    (response, request) => void response.socket?.end(`HTTP/1.1 ${echo(request)}\r\n\r\n`),
    FAILED,
  ],
  echoingRequestId: [
    (response, { url = '', headers }) =>
      response.writeHead(502, { 'X-Request-Id': `${url} ${headers['x-poh-api-key']}` }).end(),
    unavailable(/HTTP 502/, { status: 502 }),
  ],
  page200: [page(200), NOT_OURS],
  empty200: [json(200, ''), NOT_OURS],
  null200: [json(200, 'null'), NOT_OURS],
  list200: [json(200, [RESULT]), NOT_OURS],
  lie: [json(200, LIE), NOT_OURS],
  lieText: [changed({ hasVerifiedHuman: 'true' }), NOT_OURS],
  lieNull: [changed({ attestations: null }), NOT_OURS],
  lieEntry: [changed({ attestations: [{ attestationType: 0, status: 'confirmed' }] }), NOT_OURS],
  lieCase: [changed({ hasVerifiedHuman: undefined, HasVerifiedHuman: true }), NOT_OURS],
  otherWallet: [changed({ wallet: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' }), NOT_OURS],
  notUtf8: [
    (response) => response.end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD)])),
    FAILED,
  ],
  notGzip: [json(200, GOOD, { 'Content-Encoding': 'gzip' }), FAILED],
  noContent: [(response) => response.writeHead(204).end(), unavailable(/HTTP 204/)],
  busy: [page(429), unavailable(/HTTP 429/)],
  down: [page(502), unavailable(/HTTP 502/)],
  internal: [
    json(500, { error: 'Oops.', code: 'internal', requestId: 'r-3' }),
    unavailable(/HTTP 500 internal, request r-3/, {
      ...{ status: 500, code: 'internal', requestId: 'r-3' },
    }),
  ],
  internalPage: [
    page(500, { 'X-Request-Id': 'r-5' }),
    unavailable(/HTTP 500, request r-5/, { status: 500, code: '', requestId: 'r-5' }),
  ],
  askingBeyondTheDeadline: [
    page(503, { 'Retry-After': '30' }),
    unavailable(/in 30 s\b/, { attempts: 1, retryAfter: 30 }),
  ],
  askingForAnHour: [
    page(503, { 'Retry-After': '3600' }),
    unavailable(/in 3600 s\b/, { attempts: 1, retryAfter: 3600 }),
  ],
  askingForYears: [
    page(503, { 'Retry-After': '9999999999' }),
    unavailable(/in \d+ s\b/, { attempts: 1 }),
  ],
  closing: [(response) => response.destroy(), FAILED],
  cut: [
    (response) =>
      response
        .writeHead(200, { 'Content-Length': GOOD.length })
        .write(GOOD.slice(0, 100), () => response.destroy()),
    FAILED,
  ],
  cutInChunks: [(response) => response.write(GOOD.slice(0, 100), () => response.destroy()), FAILED],
  stalling: [() => undefined, TOO_LATE],
  stallingBody: [(response) => response.write(GOOD.slice(0, 100)), TOO_LATE],
  drippingBody: [
    (response) => {
      response.flushHeaders();
      repeat(response, '1\r\n \r\n');
    },
    TOO_LATE,
  ],
  drippingHeaders: [
    (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      repeat(response, 'X: 1\r\n');
    },
    TOO_LATE,
  ],
  bomb: [
    (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(BOMB),
    unavailable(/more than 64 MiB/),
  ],
};

const byToken: Responder = (response, request, thirdParty) => {
  const unknown = json(404, { error: 'No.', code: 'token_not_found', requestId: 'r-4' });
  const reply = request.url?.includes('token=unknown') ? unknown : good;
  (request.url?.includes('token=long') ? page(431) : reply)(response, request, thirdParty);
};

/** The responses to many lookups. `crowd` responds once the client has `CROWD` requests in flight. */
export const TO_MANY: Readonly<Record<string, readonly Responder[]>> = {
  crowd: [byToken],
  // Never responds to lookups of the second token.
  stopping: [
    (response, request, ...rest) => {
      if (!request.url?.includes('token=t-1')) byToken(response, request, ...rest);
    },
  ],
  // Responds to the second request while the first one waits.
  pausing: [
    page(503, { 'Retry-After': '2' }),
    (...exchange) => void setTimeout(() => byToken(...exchange), 1_000),
    byToken,
  ],
  closingIdle: [
    (response, ...rest) => {
      const { socket } = response;
      response.on('finish', () => setTimeout(() => socket?.destroy(), 5));
      byToken(response, ...rest);
    },
  ],
};
export const CROWD = 8;
