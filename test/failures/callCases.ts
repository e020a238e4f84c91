// What one call may meet, with what becomes of its lookup: its status, how often it is made, and the cause that is logged.

import * as faults from '../../doubles/callFaults.ts';
import type { Fault } from '../../doubles/standIn.ts';

export interface CallCase {
  readonly met: string;
  /** What the call meets in turn. @param asked what it asked for */
  readonly faults: (asked: Asked) => readonly Fault[];
  readonly status: number;
  /** How often the call is made. */
  readonly calls: number;
  /** Part of what is logged of a 500. */
  readonly cause?: object;
}

export interface Asked {
  readonly root: string;
  readonly name: string;
  readonly wallet: string;
}

const TIMES_MAX = 100;
const UNUSABLE = { name: 'UnusableResponse' };

const always = (fault: Fault): Fault[] => Array(TIMES_MAX).fill(fault);
const times = (count: number, fault: Fault): Fault[] => Array(count).fill(fault);

/** Outlasted: the lookup succeeds. */
const outlasted = (met: string, ...turns: Fault[]): CallCase => ({
  met,
  faults: () => turns,
  status: 200,
  calls: turns.length + 1,
});

/** Of no use: requested once more, and never again. */
function useless(met: string, toFault: (asked: Asked) => Fault): CallCase[] {
  const faults = (count: number) => (asked: Asked) => times(count, toFault(asked));
  return [
    { met: `${met}, once`, faults: faults(1), status: 200, calls: 2 },
    { met, faults: faults(TIMES_MAX), status: 500, calls: 2, cause: UNUSABLE },
  ];
}

const final = (met: string, fault: Fault, cause: object, calls = 1): CallCase => ({
  met,
  faults: () => always(fault),
  status: 500,
  calls,
  cause,
});

const LATE = { error: { code: 503, status: 'UNAVAILABLE', message: 'late' } };
const DENIED = { code: 403, status: 'PERMISSION_DENIED', message: 'denied' };
/** What must not be logged. */
export const ECHO = 'what a service has repeated';
const IN_WORDS = { code: ECHO, status: ECHO, message: ECHO };
const MEGABYTES = 5 * 1024 ** 2;

/** For any call of Firestore. */
const EITHER: readonly CallCase[] = [
  ...[408, 429, 499, 500, 502, 503, 504].map((status) =>
    outlasted(`${status}`, ...times(2, faults.refuse(status))),
  ),
  outlasted('a page with 502', faults.page(502)),
  outlasted('an error page of megabytes', faults.page(503, MEGABYTES)),
  outlasted('a connection that is closed before the headers', faults.closedBeforeHeaders),
  outlasted('a connection that is closed after the headers', faults.cutOff(false, 'headers')),
  outlasted('a body that is cut off', faults.cutOff(false), faults.cutOff(false)),
  outlasted('a body of a known length that is cut off', faults.cutOff(true)),
  outlasted('a body that is no HTTP', faults.brokenChunks),
  outlasted('a body that ends with its connection, too early', faults.endedEarly),
  outlasted('a failure at the end of a whole response', faults.altered(appended(LATE))),
  outlasted('a refused token, once', faults.refuse(401, 'UNAUTHENTICATED')),
  {
    met: 'a response that begins after 7 seconds',
    faults: () => always(faults.delayed(7_000)),
    status: 200,
    calls: 3,
  },
  final('a refused token, always', faults.refuse(401, 'UNAUTHENTICATED'), { httpStatus: 401 }, 2),
  final('403', faults.refuse(403, 'PERMISSION_DENIED'), {
    httpStatus: 403,
    status: 'PERMISSION_DENIED',
  }),
  final('a page of megabytes with 403', faults.page(403, MEGABYTES), { httpStatus: 403 }),
  final('404', faults.refuse(404, 'NOT_FOUND'), { httpStatus: 404, status: 'NOT_FOUND' }),
  final('a refusal at the end of a whole response', faults.altered(appended({ error: DENIED })), {
    httpStatus: 403,
    status: 'PERMISSION_DENIED',
  }),
  final('a failure in words', faults.altered(appended({ error: IN_WORDS })), {
    name: 'GoogleError',
  }),
  ...useless('an empty body', () => faults.respond(200, '')),
  ...useless('an empty array', () => faults.respondJson([])),
  ...useless('an array of nothing', () => faults.respondJson([{}])),
  ...useless('an array of null', () => faults.respondJson([null])),
  ...useless('an array of other values', () => faults.respondJson([1, 'a', []])),
  ...useless('an object', () => faults.respondJson({})),
  ...useless('a page with 200', () => faults.page(200)),
  ...useless('garbage', () => faults.respond(200, '\u0000\ufffd[{'.repeat(100))),
  ...useless('an array that is cut off', () => faults.altered((body) => body.slice(0, -3))),
  ...useless('two arrays', () => faults.altered((body) => body + body)),
  ...useless('a body without an end', () => faults.endless),
  ...useless('compression', () => faults.compressed),
  final('a body that goes on and on', faults.trickling, { name: 'GoogleError' }),
];

function appended(element: object) {
  return (body: string): string => body.replace(/\]\s*$/, `,${JSON.stringify(element)}]`);
}

const READ_TIME = '2026-11-22T00:00:00Z';
const active = (name: string, fields: object = { active: { booleanValue: true } }) => ({
  found: { name, fields },
  readTime: READ_TIME,
});

/** For `:batchGet`. */
export const DOCUMENT_CASES: readonly CallCase[] = [
  ...EITHER,
  ...useless('another document', ({ root }) =>
    faults.respondJson([active(`${root}/apiKeys/other`)]),
  ),
  ...useless('a document of another collection', ({ name }) =>
    faults.respondJson([active(name.replace('/apiKeys/', '/attestations/'))]),
  ),
  ...useless('a document of another database', ({ name }) =>
    faults.respondJson([active(name.replace('(default)', 'other'))]),
  ),
  ...useless('a document without a name', () => faults.respondJson([{ found: { fields: {} } }])),
  ...useless('two documents', ({ name }) => faults.respondJson([active(name), active(name)])),
  ...useless('a document, and that there is none', ({ name }) =>
    faults.respondJson([active(name), { missing: name }]),
  ),
  ...useless('both in one', ({ name }) => faults.respondJson([{ ...active(name), missing: name }])),
  ...useless('that another document is missing', ({ root }) =>
    faults.respondJson([{ missing: `${root}/apiKeys/other` }]),
  ),
  ...[
    { booleanValue: 'true' },
    { booleanValue: true, nullValue: null },
    { integerValue: 1 },
    { integerValue: '1e3' },
    { doubleValue: '1' },
    { stringValue: null },
    { timestampValue: '0000-01-01T00:00:00Z' },
    { timestampValue: '10000-01-01T00:00:00Z' },
    { timestampValue: 'now' },
  ].flatMap((value) =>
    useless(`the value ${JSON.stringify(value)}`, ({ name }) =>
      faults.respondJson([active(name, { active: { booleanValue: true }, value })]),
    ),
  ),
  {
    met: 'that there is none',
    faults: ({ name }) => [faults.respondJson([{ missing: name, readTime: READ_TIME }])],
    status: 401,
    calls: 1,
  },
];

const row = (name: string, wallet: unknown) => ({
  document: { name, fields: { wallet: { stringValue: wallet } } },
  readTime: READ_TIME,
});

/** For `:runQuery`. */
export const QUERY_CASES: readonly CallCase[] = [
  ...EITHER,
  ...useless('a row of another wallet', ({ root }) =>
    faults.respondJson([row(`${root}/attestations/a`, 'another')]),
  ),
  ...useless('a row without a wallet', ({ root }) =>
    faults.respondJson([{ document: { name: `${root}/attestations/a`, fields: {} } }]),
  ),
  ...useless('a row of another collection', ({ root, wallet }) =>
    faults.respondJson([row(`${root}/apiKeys/a`, wallet)]),
  ),
  ...useless('a row of a collection in a document', ({ root, wallet }) =>
    faults.respondJson([row(`${root}/attestations/a/attestations/b`, wallet)]),
  ),
  ...useless('a row without a name', ({ wallet }) =>
    faults.respondJson([{ document: { fields: { wallet: { stringValue: wallet } } } }]),
  ),
  {
    met: 'no rows',
    faults: () => [faults.respondJson([{ readTime: READ_TIME }])],
    status: 200,
    calls: 1,
  },
  final('503 for good', faults.refuse(503), { cause: { httpStatus: 503 } }, Number.NaN),
];

const INVALID = faults.respond(400, '{"error":{"code":400,"message":"INVALID_EMAIL"}}');
const account = (email: string, more: object) =>
  faults.respondJson({ users: [{ email, localId: 'a', ...more }] });

/** For `accounts:lookup`; `name` is the address. */
export const ACCOUNT_CASES: readonly CallCase[] = [
  outlasted('503', faults.refuse(503)),
  outlasted('a connection that is closed before the headers', faults.closedBeforeHeaders),
  outlasted('a refused token, once', faults.refuse(401, 'UNAUTHENTICATED')),
  final('400', faults.refuse(400, 'INVALID_ARGUMENT'), { httpStatus: 400 }),
  ...useless('an empty body', () => faults.respond(200, '')),
  ...useless('an array', () => faults.respondJson([])),
  ...useless('an empty list of accounts', () => faults.respondJson({ users: [] })),
  ...useless('the account of another address', () => account('other@example.com', {})),
  ...useless('an account without an address', () => faults.respondJson({ users: [{}] })),
  ...useless('a page with 200', () => faults.page(200)),
  ...useless('a body without an end', () => faults.endless),
  ...useless('a compressed body', () => faults.compressed),
  {
    met: 'no response',
    faults: () => always(faults.unanswered),
    status: 500,
    calls: Number.NaN,
    cause: { name: 'GoogleError' },
  },
  { met: 'that it is no address', faults: () => [INVALID], status: 404, calls: 1 },
  {
    met: 'a disabled account',
    faults: ({ name, wallet }) => [
      account(name, { disabled: true, customAttributes: JSON.stringify({ wallet }) }),
    ],
    status: 404,
    calls: 1,
  },
  {
    met: 'no account',
    faults: () => [faults.respondJson({ kind: 'identitytoolkit#GetAccountInfoResponse' })],
    status: 404,
    calls: 1,
  },
];
