// Responses that the service never sends, each with the documented outcome of a lookup.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { ERRORS } from '../../contract/errors.ts';
import { lookupExamples } from '../../contract/examples.ts';
import type { Job, Outcome } from './drivers.ts';

export const RESULT = lookupExamples().byWallet.value;
const GOOD = JSON.stringify(RESULT);
export const LIE = JSON.stringify({ attestations: [], hasVerifiedHuman: true });
let bomb: Buffer | undefined;
/** A small response that decompresses to more bytes than a client may accept. */
const bombOf = (): Buffer => (bomb ??= gzipSync(Buffer.alloc(2 ** 26 + 2 ** 20, ' ')));

type Reply = readonly [status: number, body?: unknown, headers?: Record<string, string | number>];
type Writer = (response: ServerResponse, traffic: Traffic) => Reply | undefined;
export type Responder = Reply | Writer;

/** What a client has sent. */
export interface Traffic {
  /** The time by `performance.now()`, the number in flight, and the query, key and user agent. */
  readonly requests: { readonly at: number; readonly open: number; readonly sent: string }[];
  /** The number of concurrent requests, and its maximum. */
  open: number;
  maxOpen: number;
}

export interface Expected extends Partial<Outcome> {
  /** The number of requests; undefined if an attempt can time out before its request arrives. */
  readonly attempts?: number;
  /** The expected message. */
  readonly says?: RegExp;
  /** What every request has as its query. */
  readonly sends?: string;
  /** The settings and the subject of the lookup. */
  readonly job?: Partial<Job>;
  /** The names of the clients that have this outcome; by default all. */
  readonly only?: RegExp;
}

export function respond(responder: Responder, response: ServerResponse, traffic: Traffic): void {
  const reply = typeof responder === 'function' ? responder(response, traffic) : responder;
  if (!reply) return;
  const [status, body, headers] = reply;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, headers).end(isText ? body : JSON.stringify(body));
}

const page = (status: number, headers = {}): Reply => [status, '<h1>Hello</h1>', headers];
/** Redirects to another name of the server, as if it were a third party. */
const redirect: Writer = ({ req: { socket, url } }) => {
  const Location = `http://localhost:${socket.localPort}/redirected/${url?.split('/')[2]}`;
  return [302, LIE, { Location }];
};
const changed = (fields: object): Reply => [200, { ...RESULT, ...fields }];
const keyOf = ({ headers }: IncomingMessage): string => String(headers['x-poh-api-key']);
const echo = (request: IncomingMessage): string =>
  `${decodeURIComponent(request.url ?? '')} ${request.url} ${keyOf(request)} \u001b[31m`;
/** Writes the same part until the client closes the connection. */
const repeat =
  (start: string, part: string): Writer =>
  ({ socket }) => {
    socket?.write(start);
    const timer = setInterval(() => socket?.write(part), 50);
    return void socket?.on('close', () => clearInterval(timer));
  };

const TYPESCRIPT = /TypeScript/;
const FOUND: Expected = { kind: 'ok', attempts: 1 };
const typed = (subject: Record<string, unknown>, sends: string) => ({
  ...FOUND,
  job: { subject },
  sends,
});
const refused = (status: number, code: string, kind = 'Refused', says = /./): Expected => ({
  ...{ kind, attempts: 1, status, code, says },
});
const elsewhere = (status: number, says = /check the address/i) =>
  refused(status, 'not_the_service', 'Refused', says);
const MISSING: Expected = { ...refused(0, 'missing_subject', 'SubjectRefused'), attempts: 0 };
const INVALID: Expected = { kind: 'invalid', attempts: 0 };
const TOO_LONG = /is too long/;
const tooLong = (status: number) => refused(status, 'not_the_service', 'SubjectRefused', TOO_LONG);
const unavailable = (says: RegExp, more: Expected = {}): Expected => ({
  ...{ kind: 'Unavailable', attempts: 4, says },
  ...more,
});
const broken = (says: RegExp, more: Expected = {}) =>
  unavailable(says, { kind: 'ConnectionFailed', ...more });
const asking = (retryAfter: number) =>
  unavailable(new RegExp(`in ${retryAfter} s\\b`), {
    attempts: 1,
    retryAfter,
    job: { timeout: 29 },
  });
const FAILED = broken(/attempt 4 of 4/i);
const NOT_OURS = unavailable(/not from the service/);
/** A fault that only somebody who changes a setting can mend. */
const misconfigured = (says: RegExp, more: Expected = {}) => broken(says, { attempts: 0, ...more });
const TOO_LATE: Expected = {
  kind: 'ConnectionFailed',
  says: /attempt 1 of 4 failed \(no response within/i,
  job: { timeout: 0.4 },
};

const SIGNED = { 'X-Request-Id': 'r-6', 'Signature-Input': 'poh=()', Signature: 'poh=:AA==:' };
const KEY_ENDS = { 'X-PoH-Key-Ends': '2099-01-02T03:04:05Z' };
export const good: Writer = ({ req: { url } }) => {
  // Only a lookup by wallet returns it.
  const body = url?.includes('wallet=') ? RESULT : { ...RESULT, wallet: undefined };
  return [200, body, SIGNED];
};
const [entry] = RESULT.attestations;

/** How a lookup fails with each code; the others are plain refusals. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ unauthorized: 'KeyRefused', mode_not_allowed: 'KeyRefused' },
  ...{ missing_subject: 'SubjectRefused', invalid_wallet: 'SubjectRefused' },
  ...{ email_not_found: 'SubjectRefused', token_not_found: 'SubjectRefused' },
  malformed_request: 'SubjectRefused',
};
/** Each refusal, which tells what to do; a client tries again after the others. */
const REFUSALS = Object.entries(ERRORS)
  .filter(([, { status }]) => ![429, 500].includes(status))
  .map(([code, { status, message }]) => {
    const reply: Reply = [status, { error: message, code, requestId: 'r-1' }];
    // The service finds fault only with the length of what a client sends.
    const advice = code === 'malformed_request' ? 'The subject is too long' : message;
    const says = new RegExp(`HTTP ${status} ${code}, request r-1\\. ${advice}`);
    return [code, [reply, refused(status, code, KINDS[code], says)]] as const;
  });

/** The responses to a client's requests, of which the last repeats, and the outcome of a lookup. */
export const RESPONSES: Readonly<Record<string, readonly [...Responder[], Expected]>> = {
  ...Object.fromEntries(REFUSALS),
  // For ever, almost.
  good: [good, { ...FOUND, job: { timeout: 1e12 } }],
  // As typed. A surrogate is not in UTF-8.
  typedToken: [good, typed({ token: '\ufeff t-1\r\n', wallet: ' ' }, 'token=t-1')],
  typedEmail: [
    good,
    typed(
      { email: 'j\u00fcrg+1 &c=d@example.com' },
      'email=j%C3%BCrg%2B1%20%26c%3Dd%40example.com',
    ),
  ],
  typedSurrogate: [good, typed({ token: 't\ud800' }, 'token=t%EF%BF%BD')],
  allowed: [good, { ...FOUND, job: { allowPlainHttp: true } }],
  overIpv6: [broken(/./, { attempts: 0, job: { url: 'http://[::1]:1' } })],
  // As long as Google Cloud sends at most.
  compressed: [[200, gzipSync(GOOD + ' '.repeat(2 ** 25)), { 'Content-Encoding': 'gzip' }], FOUND],
  laterVersion: [
    changed({
      ...{ new: 1, requestId: 'r-0' },
      attestations: [
        { ...entry, attestationType: 9 },
        { ...entry, status: 'final' },
      ],
    }),
    FOUND,
  ],
  requestTimeout: [page(408), good, { ...FOUND, attempts: 2 }],
  tooEarly: [page(425), good, { ...FOUND, attempts: 2 }],
  recovering: [page(502), page(502), good, { ...FOUND, attempts: 3 }],
  patient: [page(503, { 'Retry-After': '1' }), good, { ...FOUND, attempts: 2 }],
  signedRefusal: [
    [404, { error: 'No.', code: 'token_not_found' }, { ...SIGNED, ...KEY_ENDS }],
    refused(404, 'token_not_found', 'SubjectRefused'),
  ],
  redirectWithBody: [redirect, elsewhere(302, /redirect/)],
  page414: [page(414), tooLong(414)],
  page431: [page(431), tooLong(431)],
  pageInLatin1: [[404, Buffer.from([0xe9])], elsewhere(404)],
  noContent: [[204], unavailable(/HTTP 204/, { status: 204 })],
  codeWith431: [
    [431, { error: 'Too many headers.', code: 'malformed_request' }],
    refused(431, 'malformed_request', 'SubjectRefused', TOO_LONG),
  ],
  codeOfAnotherServer: [[404, { code: 'not_found', message: 'Hello' }], elsewhere(404)],
  // The subject is a letter of the code.
  shortSubject: [
    [404, { error: 'Not here.', code: 'new_code' }],
    { ...refused(404, 'new_code'), job: { subject: { token: 'e' } } },
  ],
  // Mistakes in the caller's program. Python's interpreter refuses other names.
  textAsSubject: [{ ...INVALID, job: { subject: 'a-wallet' as never }, only: TYPESCRIPT }],
  nothingAsSubject: [{ ...INVALID, job: { subject: null as never }, only: TYPESCRIPT }],
  otherNames: [{ ...INVALID, job: { subject: { Wallet: 'w', address: 'w' } }, only: TYPESCRIPT }],
  numberAsSubject: [{ ...INVALID, job: { subject: { wallet: 7 } } }],
  blankSubject: [{ ...MISSING, job: { subject: { token: ' \n' } } }],
  // Express has an array for a repeated parameter, and an object for `email[a]`.
  arraySubject: [{ ...MISSING, job: { subject: { token: ['a'], email: { a: 'b' } } } }],
  unknownRight: [
    [403, { error: 'No.', code: 'new_right' }],
    refused(403, 'new_right', 'KeyRefused', /does not know the code/),
  ],
  echoing: [({ req }) => [400, { error: echo(req), code: keyOf(req) }], elsewhere(400)],
  echoingStatusLine: [
    ({ socket, req }) => void socket?.end(`HTTP/1.1 ${echo(req)}\r\n\r\n`),
    FAILED,
  ],
  echoingRequestId: [
    ({ req }) => [502, { requestId: echo(req) }, { 'X-Request-Id': keyOf(req) }],
    unavailable(/HTTP 502/, { requestId: '' }),
  ],
  echoingInWords: [
    ({ req }) => {
      const headers = { 'X-Request-Id': `req-${keyOf(req)}` };
      return [400, { error: 'No.', code: 'of_nobody_may_see' }, headers];
    },
    {
      ...refused(400, 'not_the_service'),
      ...{ requestId: '', job: { subject: { token: 'nobody_may_see' } } },
    },
  ],
  page200: [page(200), NOT_OURS],
  null200: [[200, 'null'], NOT_OURS],
  lieText: [changed({ hasVerifiedHuman: 'true' }), NOT_OURS],
  lieFraction: [changed({ count: 1.5 }), NOT_OURS],
  lieNull: [changed({ attestations: null }), NOT_OURS],
  lieEntry: [
    changed({ attestations: [entry, { attestationType: 0, status: 'confirmed' }] }),
    NOT_OURS,
  ],
  // Only a response to a lookup by wallet has a wallet.
  walletForToken: [[200, RESULT], { ...NOT_OURS, job: { subject: { token: 't-1' } } }],
  walletForEmail: [[200, RESULT], { ...NOT_OURS, job: { subject: { email: 'a@example.com' } } }],
  otherWallet: [changed({ wallet: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' }), NOT_OURS],
  noWallet: [changed({ wallet: undefined }), NOT_OURS],
  notUtf8: [[200, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD)])], FAILED],
  notGzip: [[200, GOOD, { 'Content-Encoding': 'gzip' }], FAILED],
  busy: [page(429), unavailable(/HTTP 429/, { kind: 'RateLimited' })],
  downBeforeLongPause: [
    page(502),
    unavailable(/attempt 1 of 4 failed \(HTTP 502/i, { attempts: 1, job: { pause: 3600 } }),
  ],
  internal: [
    [500, { error: 'Oops.', code: 'internal', requestId: 'r-3' }],
    unavailable(/500 internal, request r-3/, { status: 500, code: 'internal', requestId: 'r-3' }),
  ],
  internalPage: [
    page(500, { 'X-Request-Id': 'r-5' }),
    unavailable(/HTTP 500, request r-5/, { status: 500, code: '', requestId: 'r-5' }),
  ],
  askingBeyondTheDeadline: [page(503, { 'Retry-After': '30' }), asking(30)],
  askingForYears: [
    page(503, { 'Retry-After': '9999999999' }),
    unavailable(/in 9999999999 s\b/, { attempts: 1, retryAfter: 9999999999 }),
  ],
  askingWithFraction: [page(503, { 'Retry-After': '29.5' }), asking(30)],
  askingTwice: [page(503, { 'Retry-After': '30, 30' }), asking(30)],
  askingUntil: [
    () => page(503, { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() }),
    unavailable(/in 3[56]\d\d s\b/, { attempts: 1 }),
  ],
  askingForEver: [page(503, { 'Retry-After': 'Infinity' }), unavailable(/try again later/i)],
  cut: [[200, GOOD.slice(0, 100), { 'Content-Length': GOOD.length, Connection: 'close' }], FAILED],
  stalling: [() => undefined, TOO_LATE],
  drippingBody: [
    repeat('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    TOO_LATE,
  ],
  drippingHeaders: [repeat('HTTP/1.1 200 OK\r\n', 'X: 1\r\n'), TOO_LATE],
  bomb: [
    ...[page(502), page(502), page(502)],
    () => [200, bombOf(), { 'Content-Encoding': 'gzip' }],
    broken(/more than 64 MiB/),
  ],
  overTls: [good, FOUND],
  untrusted: [
    good,
    misconfigured(/localhost.*not trusted.*\b(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)\b/s),
  ],
  otherName: [good, misconfigured(/127\.0\.0\.1.*certificate.*Check the address/s)],
  plainPort: [good, misconfigured(/\bTLS\b.*Check the address/s)],
  throughProxy: [good, FOUND],
  refusedByProxy: [good, misconfigured(/the proxy responded with HTTP 407.*HTTPS_PROXY/is)],
};

const byToken: Writer = ({ req: { url } }) => {
  if (url?.includes('token=long')) return page(431);
  if (url?.includes('token=unknown'))
    return [404, { error: 'No.', code: 'token_not_found' }, SIGNED];
  return [200, { ...RESULT, wallet: undefined }];
};
/** Responds that nobody is a verified human, and adds a second response that says the contrary. */
const stray: Writer = ({ socket }) => {
  const [response, second] = [false, true].map((hasVerifiedHuman) => {
    const body = JSON.stringify({ ...RESULT, wallet: undefined, hasVerifiedHuman });
    return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  return void socket?.write(`${response}${second}`);
};

export const CROWD = 8;
/** In this time a client that sends more than `CROWD` requests would send the next. */
const CROWD_LASTS_MS = 50;

/** Responds once the client has had so many requests in flight. */
const together =
  (count: number, responder: Responder): Writer =>
  (response, traffic) => {
    const timer = setInterval(() => {
      if (traffic.maxOpen < count) return;
      clearInterval(timer);
      respond(responder, response, traffic);
    }, CROWD_LASTS_MS);
    return undefined;
  };
const late = (ms: number, responder: Responder): Writer => {
  return (response, traffic) => void setTimeout(() => respond(responder, response, traffic), ms);
};

/** The responses to many lookups. */
export const TO_MANY: Readonly<Record<string, readonly Responder[]>> = {
  crowd: [together(CROWD, byToken)],
  // Never responds to lookups of the second token.
  stopping: [
    (response, traffic) =>
      response.req.url?.includes('token=t-1') ? undefined : byToken(response, traffic),
  ],
  // Asks for shorter waits while the first lookup waits, and answers one.
  pausing: [
    together(6, page(503, { 'Retry-After': '7' })),
    together(6, late(1_500, page(429, { 'Retry-After': '1' }))),
    ...Array.from({ length: 3 }, () => together(6, page(429, { 'Retry-After': '0.1' }))),
    together(6, late(2_000, byToken)),
    late(300, byToken),
  ],
  askingAgain: [together(CROWD, page(429, { 'Retry-After': '3' }))],
  // Asks for more than a client may wait, but answers in between.
  askingAndAnswering: Array.from({ length: 6 }, (_, index) =>
    index % 2 === 0 ? page(429, { 'Retry-After': '3' }) : byToken,
  ),
  down: [page(503)],
  // Answers one lookup, in the middle.
  mostlyDown: [
    (response, traffic) =>
      response.req.url?.endsWith('=t-30') ? byToken(response, traffic) : page(503),
  ],
  stray: [stray],
  strayOverTls: [stray],
};
