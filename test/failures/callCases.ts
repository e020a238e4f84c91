// Faults of a single call. Each case has the expected status of the lookup, the number of calls and the logged cause.

import type { Fault } from '../../tools/sandbox/reply.ts';
import * as faults from '../doubles/callFaults.ts';

export interface CallCase {
  readonly title: string;
  /** The faults of successive calls. @param requested the document or account that the calls request */
  readonly faults: (requested: Requested) => readonly Fault[];
  readonly status: number;
  /** The number of calls, or the lowest and the highest number. */
  readonly calls: number | { readonly min?: number; readonly max: number };
  /** Part of the logged cause of a 500. */
  readonly cause?: object;
  /** Whether the fault sends megabytes, which would delay other cases. */
  readonly isHeavy?: boolean;
}

interface Requested {
  readonly root: string;
  readonly name: string;
  readonly wallet: string;
}

const TIMES_MAX = 100;
const UNUSABLE = { name: 'UnusableResponse' };
const REFUSAL = { httpStatus: 403, status: 'PERMISSION_DENIED' };

const always = (fault: Fault): Fault[] => Array(TIMES_MAX).fill(fault);
const times = (count: number, fault: Fault): Fault[] => Array(count).fill(fault);

/** Transient faults. The call is repeated until the lookup succeeds. */
const transient = (title: string, ...turns: Fault[]): CallCase => ({
  title,
  faults: () => turns,
  status: 200,
  calls: turns.length + 1,
});

/** Unusable responses. The call is repeated only once. */
const unusable = (title: string, toFault: (requested: Requested) => Fault): CallCase => ({
  title,
  faults: (requested) => always(toFault(requested)),
  status: 500,
  calls: 2,
  cause: UNUSABLE,
});

const twoAccounts = (which: string, toFault: (requested: Requested) => Fault): CallCase => ({
  title: `two accounts, of which ${which} a wallet`,
  faults: (requested) => [toFault(requested)],
  status: 404,
  calls: 1,
});

const permanent = (
  title: string,
  fault: Fault,
  cause: object,
  calls: CallCase['calls'] = 1,
): CallCase => ({
  title,
  faults: () => always(fault),
  status: 500,
  calls,
  cause,
});

const heavy = (row: CallCase): CallCase => ({ ...row, isHeavy: true });

/** Once a minute, a refusal is taken for one of the token, and the call repeated with another one. */
const WITH_DOUBT = { max: 2 };
/** With a pause before each retry, a lookup makes no more calls than this before its time limit. */
const RETRIES_MAX = { max: 20 };
/** More calls have no pause: those on connections that concurrent tests left idle. Without pauses there are thousands. */
const RETRIES_MAX_IF_CLOSED = { max: 60 };
const LATE = { error: { code: 503, status: 'UNAVAILABLE', message: 'late' } };
const DENIED = {
  ...{ code: 403, status: 'PERMISSION_DENIED', message: 'denied' },
  details: [{ reason: 'BILLING_DISABLED' }],
};
/** Text of a response that must not be logged. */
export const ECHO = 'text that a service echoes';
const TEXT_ERROR = { code: ECHO, status: ECHO, message: ECHO };
const MEGABYTES = 5 * 1024 ** 2;
const DEEP = 200_000;

/** Faults of any call to a service. */
const ANY_CASES: readonly CallCase[] = [
  ...[408, 409, 429, 499, 500, 502, 503, 504].map((status) =>
    transient(`${status}`, ...times(2, faults.refuse(status))),
  ),
  heavy(transient('an HTML error page of 5 MB', faults.page(503, MEGABYTES))),
  transient('a connection closed before the headers', faults.closedBeforeHeaders),
  transient('a truncated body with a Content-Length', faults.cutOff(true)),
  transient('a body that is not valid HTTP', faults.brokenChunks),
  transient('a refused token, once', faults.refuse(401, 'UNAUTHENTICATED')),
  transient('a change of protocol', faults.upgraded),
  transient('an unusable response, once', faults.respond(200, '')),
  {
    title: 'a 503 after 3 seconds, while a second attempt waits for its response',
    faults: () => [faults.delayed(3_000, faults.refuse(503)), faults.delayed(1_500)],
    status: 200,
    calls: 2,
  },
  {
    title: 'a response that begins after 4 seconds',
    faults: () => always(faults.delayed(4_000)),
    status: 200,
    // On a busy machine the response may arrive before the silence is noticed.
    calls: { max: 2 },
  },
  permanent('a refused token', faults.refuse(401, 'UNAUTHENTICATED'), { httpStatus: 401 }, 2),
  permanent('403', faults.refuse(403, 'PERMISSION_DENIED'), REFUSAL, WITH_DOUBT),
  heavy(
    permanent(
      'an HTML page of 5 MB with 403',
      faults.page(403, MEGABYTES),
      { httpStatus: 403 },
      WITH_DOUBT,
    ),
  ),
  permanent('an error whose code is text', faults.altered(appended({ error: TEXT_ERROR })), {
    name: 'GoogleError',
  }),
  permanent(
    'a connection closed before the headers, always',
    faults.closedBeforeHeaders,
    { cause: { code: 'ECONNRESET' } },
    RETRIES_MAX_IF_CLOSED,
  ),
  unusable('an error whose code cannot be converted', () =>
    faults.respondJson([{ error: { code: { valueOf: 1, toString: 1 } } }]),
  ),
  unusable('an error nested too deep to be written', () =>
    faults.respond(200, `[{"error":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}]`),
  ),
  heavy(unusable('an endless body', () => faults.endless)),
  heavy(unusable('a compressed body', () => faults.compressed)),
  permanent('an endless body, sent slowly', faults.trickling, { name: 'GoogleError' }),
];

/** Replies of both Firestore calls. */
const REPLY_CASES: readonly CallCase[] = [
  transient('a truncated body', faults.cutOff(false), faults.cutOff(false)),
  transient('a truncated body that ends with its connection', faults.endedEarly),
  transient('a complete response with an error at its end', faults.altered(appended(LATE))),
  permanent(
    'a complete response with a refusal at its end',
    faults.altered(appended({ error: DENIED })),
    { ...REFUSAL, reason: 'BILLING_DISABLED' },
    WITH_DOUBT,
  ),
  unusable('a reply that is older than an earlier one', () => outdated),
  unusable('a reply whose time is none', () => dated('zzzz')),
  heavy(unusable('32 MiB of brackets', () => faults.respond(200, '['.repeat(32 * 1024 ** 2)))),
  unusable('an empty body', () => faults.respond(200, '')),
  unusable('an array of an empty object', () => faults.respondJson([{}])),
  unusable('an array of other values', () => faults.respondJson([1, 'a', []])),
  unusable('an object', () => faults.respondJson({})),
  unusable('an HTML page with 200', () => faults.page(200)),
  unusable('a truncated array', () => faults.altered((body) => body.slice(0, -3))),
  unusable('two arrays', () => faults.altered((body) => body + body)),
];

function appended(element: object) {
  return (body: string): string => body.replace(/\]\s*$/, `,${JSON.stringify(element)}]`);
}

const active = (name: string, fields: object = { active: { booleanValue: true } }) => ({
  found: { name, fields },
});

/** Sends the reply as if it had been sent long ago. */
const outdated = faults.altered((body) => body.replaceAll(/("readTime"\s*:\s*")\d{4}/g, '$12020'));

/** Sends the reply with this read time. */
export const dated = (time: string) =>
  faults.altered((body) => body.replaceAll(/("readTime"\s*:\s*)"[^"]+"/g, `$1"${time}"`));

/** Cases of `:batchGet`. */
export const DOCUMENT_CASES: readonly CallCase[] = [
  ...ANY_CASES,
  ...REPLY_CASES,
  unusable('another document', ({ root }) => faults.respondJson([active(`${root}/apiKeys/other`)])),
  unusable('a document of another database', ({ name }) =>
    faults.respondJson([active(name.replace('(default)', 'other'))]),
  ),
  unusable('two documents', ({ name }) => faults.respondJson([active(name), active(name)])),
  unusable('a document, and a report that it is missing', ({ name }) =>
    faults.respondJson([active(name), { missing: name }]),
  ),
  unusable('a document and a report that it is missing, in one element', ({ name }) =>
    faults.respondJson([{ ...active(name), missing: name }]),
  ),
  unusable('a report that another document is missing', ({ root }) =>
    faults.respondJson([{ missing: `${root}/apiKeys/other` }]),
  ),
  unusable('an empty result of a query', () =>
    faults.altered((body) => {
      const [{ readTime }] = JSON.parse(body);
      return JSON.stringify([{ readTime }]);
    }),
  ),
];

const row = (name: string, wallet: unknown) => ({
  document: { name, fields: { wallet: { stringValue: wallet } } },
});

/** Cases of `:runQuery`. */
export const QUERY_CASES: readonly CallCase[] = [
  ...REPLY_CASES,
  unusable('a row of another wallet', ({ root }) =>
    faults.respondJson([row(`${root}/attestations/a`, 'another')]),
  ),
  unusable('a row of another collection', ({ root, wallet }) =>
    faults.respondJson([row(`${root}/apiKeys/a`, wallet)]),
  ),
  unusable('a row of a subcollection', ({ root, wallet }) =>
    faults.respondJson([row(`${root}/attestations/a/attestations/b`, wallet)]),
  ),
  unusable('a document', ({ root }) => faults.respondJson([active(`${root}/apiKeys/other`)])),
  unusable('a report that a document is missing', ({ root }) =>
    faults.respondJson([{ missing: `${root}/apiKeys/other` }]),
  ),
  // Pauses that always grow would allow six calls, and find the end of an outage too late.
  permanent(
    '503 every time',
    faults.refuse(503),
    { cause: { httpStatus: 503 } },
    { min: 8, max: 20 },
  ),
];

const accounts = (email: string, ...each: object[]) =>
  faults.respondJson({
    users: each.map((more, index) => ({ email, localId: `${index}`, ...more })),
  });
const holding = (wallet: string) => ({ customAttributes: JSON.stringify({ wallet }) });

/** Cases of `accounts:lookup`, for which `name` is the e-mail address. */
export const ACCOUNT_CASES: readonly CallCase[] = [
  permanent('400', faults.refuse(400, 'INVALID_ARGUMENT'), { httpStatus: 400 }, WITH_DOUBT),
  unusable('an empty body', () => faults.respond(200, '')),
  unusable('an array', () => faults.respondJson([])),
  unusable('an empty list of accounts', () => faults.respondJson({ users: [] })),
  unusable('the account of another address', () => accounts('other@example.com', {})),
  unusable('the account of another address beside the right one', ({ name, wallet }) =>
    accounts(name, holding(wallet), { email: 'other@example.com' }),
  ),
  transient('an error with 200', faults.respondJson(LATE)),
  unusable('an account whose address cannot be converted', () =>
    faults.respondJson({ users: [{ email: { toString: 1 } }] }),
  ),
  heavy(unusable('an endless body', () => faults.endless)),
  permanent('no response', faults.unanswered, { name: 'GoogleError' }, RETRIES_MAX),
  ...['INVALID_EMAIL', 'INVALID_EMAIL : It is badly formatted.'].map((message) => ({
    title: `a report that the address is invalid, ${message}`,
    faults: () => [faults.respond(400, JSON.stringify({ error: { code: 400, message } }))],
    status: 404,
    calls: 1,
  })),
  twoAccounts('the first has', ({ name, wallet }) => accounts(name, holding(wallet), {})),
  twoAccounts('the second has', ({ name, wallet }) => accounts(name, {}, holding(wallet))),
  twoAccounts('both have', ({ name, wallet }) => accounts(name, holding(wallet), holding(wallet))),
];
