// Tests the parts of a lookup by themselves: flags, request id, accounts, log and the rows of a reply.

import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { summarize, TYPE_NUMBERS } from '../../contract/result.ts';
import { openAccounts, parseEmail } from '../../functions/src/google/authentication.ts';
import { type BodyReader, GoogleError, readText } from '../../functions/src/google/exchange.ts';
import { readArray } from '../../functions/src/google/responseJson.ts';
import { describeCause } from '../../functions/src/requestLog.ts';
import { requestIdOf } from '../../functions/src/server.ts';
import {
  ACCESS_TOKEN_LIMIT_MS,
  NAME_LIMIT_MS,
  PLATFORM_TIMEOUT_SECONDS,
  REQUEST_LIMIT_MS,
  SHUTDOWN_LIMIT_MS,
  SILENCE_MS,
} from '../../functions/src/timeLimits.ts';
import { listen } from '../../tools/sandbox/freePort.ts';

const attestation = fc.record({
  attestationType: fc.constantFrom(...TYPE_NUMBERS),
  status: fc.constantFrom('confirmed' as const, 'pending' as const),
});

test('flags and counts agree with the definition in section 2.2, for any list', () => {
  fc.assert(
    fc.property(fc.array(attestation, { maxLength: 50 }), (list) => {
      const count = (type: number): number =>
        list.filter((a) => a.status === 'confirmed').filter((a) => a.attestationType === type)
          .length;
      expect(summarize(list)).toStrictEqual({
        hasVerifiedHuman: count(0) >= 1,
        hasVoted: count(1) >= 1,
        votedCount: count(1),
        hasSupportedProposal: count(2) >= 1,
        supportedCount: count(2),
      });
    }),
  );
});

describe('the request id', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const ZEROS = '0'.repeat(32);
  const OTHER = 'b'.repeat(32);

  test.each([
    [{ 'x-cloud-trace-context': `${TRACE}/123;o=1` }],
    [{ 'x-cloud-trace-context': `${TRACE};o=1` }],
    [{ 'x-cloud-trace-context': TRACE }],
    [{ 'x-cloud-trace-context': TRACE, traceparent: `00-${OTHER}-b7ad6b7169203331-01` }],
    [{ traceparent: `00-${TRACE}-b7ad6b7169203331-01` }],
    [{ 'x-cloud-trace-context': 'bad', traceparent: `00-${TRACE}-b7ad6b7169203331-01` }],
    [{ 'x-cloud-trace-context': ZEROS, traceparent: `00-${TRACE}-b7ad6b7169203331-00` }],
  ])("is Google Cloud's trace id in %j", (headers) => {
    expect(requestIdOf(headers)).toBe(TRACE);
  });

  test.each([
    [{}],
    [{ 'x-cloud-trace-context': 'anything a client likes' }],
    [{ 'x-cloud-trace-context': `${TRACE}0/1` }],
    [{ 'x-cloud-trace-context': `${TRACE.toUpperCase()}/1` }],
    [{ traceparent: TRACE }],
    [{ 'x-cloud-trace-context': `${ZEROS}/1;o=1` }],
    [{ traceparent: `00-${ZEROS}-b7ad6b7169203331-01` }],
    [{ traceparent: `00-${TRACE}-0000000000000000-01` }],
    [{ traceparent: `00-${TRACE}-b7ad6b7169203331-01-00` }],
    [{ traceparent: `ff-${TRACE}-b7ad6b7169203331-01` }],
    [{ traceparent: `01-${TRACE}-b7ad6b7169203331-01` }],
  ])('is a new UUID for %j', (headers) => {
    expect(requestIdOf(headers)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(requestIdOf(headers)).not.toBe(requestIdOf(headers));
  });
});

test.each([
  ['a domain in Unicode', 'jo@xn--mnchen-3ya.example', 'jo@münchen.example'],
  ['a domain in ASCII', 'jo@münchen.example', 'jo@xn--mnchen-3ya.example'],
  ['decomposed letters', 'rené@example.com'.normalize('NFC'), 'rené@example.com'.normalize('NFD')],
  ['composed letters', 'rené@example.com'.normalize('NFD'), 'rené@example.com'.normalize('NFC')],
  ['small letters', 'Jo@Example.com', 'jo@example.com'],
])(
  'an account is found although Authentication returns its address with %s',
  async (_, asked, returned) => {
    const body = JSON.stringify({ users: [{ localId: 'uid', email: returned }] });
    const server = createServer((_request, response) => response.end(body));
    onTestFinished(() => void server.close().closeAllConnections());
    const authorize = async () => ({ headers: {} });
    const account = { projectId: 'any', authorize };
    const { findByEmail } = openAccounts(account, `127.0.0.1:${await listen(server)}`);
    const email = parseEmail(asked);
    if (!email) throw new Error('the address is not valid');
    const found = await findByEmail(email, AbortSignal.timeout(REQUEST_LIMIT_MS));
    // Google may leave out what is false.
    expect(found).toMatchObject([{ uid: 'uid', isVerified: false }]);
  },
);

describe('the cause of a failure', () => {
  test('is described by its name, code and our own stack frames', () => {
    const error = Object.assign(new TypeError('unable to parse w.x'), { code: 'ERR_INVALID' });
    const frames = [
      'at readKey (/workspace/index.cjs:12:345)',
      'at other (/workspace/node_modules/other/index.cjs:1:2)',
      'at node:http:1:2',
    ];
    error.stack = [`TypeError: ${error.message}`, ...frames].join('\n    ');
    expect(describeCause(error)).toStrictEqual({
      name: 'TypeError',
      code: 'ERR_INVALID',
      stack: ['readKey (index.cjs:12:345)'],
    });
  });

  test('has our message, the codes of the response and its own cause after a call to Google', () => {
    const inner = new TypeError('inner', { cause: new Error('too deep') });
    const refused = new Error('connect 10.0.0.1', { cause: inner });
    const cause = Object.assign(refused, { code: 'ECONNREFUSED' });
    const details = { httpStatus: 503, status: 'UNAVAILABLE' };
    const error = new GoogleError('Firestore did not respond in time', details, cause);
    expect(describeCause(error)).toMatchObject({
      name: 'GoogleError',
      message: 'Firestore did not respond in time',
      ...details,
      cause: { name: 'Error', code: 'ECONNREFUSED', cause: { name: 'TypeError' } },
    });
  });

  test('contains no value of the request, in whatever form a dependency repeats it', () => {
    // Any text, or text that could be the name of a function.
    const name = fc.stringMatching(/^[\w$.<> ]{6,20}$/);
    // The library's own arbitrary of code points lists all of them, which takes seconds.
    const unit = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
    const secret = fc.oneof(fc.string({ unit, minLength: 6 }), name);
    const form = fc.constantFrom<(value: string) => string>(
      (value) => value,
      (value) => Buffer.from(value).toString('hex'),
      (value) => Buffer.from(value).toString('base64'),
      (value) => JSON.stringify(value),
      (value) => `x\n    at ${value} (/workspace/index.cjs:1:2)`,
      (value) => `x\n    at /${value}/index.cjs:1:2`,
    );
    // No text is a name as a whole, and the last begins with one.
    const begin = fc.constantFrom('1', '1 ', 'ECONNREFUSED ');
    fc.assert(
      fc.property(secret, form, begin, (value, write, before) => {
        const repeated = `${before}${write(value)}`;
        const error = Object.assign(new Error(repeated), { name: repeated, code: repeated });
        const { stack, ...rest } = describeCause(error) as { stack: string[] };
        expect(rest).toStrictEqual({ name: 'Error' });
        for (const frame of stack) expect(frame).toMatch(/lookup\.unit|requestLog|anonymous/);
      }),
    );
  });

  test('can be any thrown value', () => {
    expect(describeCause('text')).toStrictEqual({ name: 'string', stack: [] });
    expect(describeCause(undefined)).toStrictEqual({ name: 'undefined', stack: [] });
    const circular = new Error('x');
    circular.cause = circular;
    expect(() => describeCause(circular)).not.toThrow();
  });
});

describe('the elements of an array are read once each, in any pieces,', () => {
  const LONG = 'x'.repeat(70_000);
  const map = {
    document: { stringValue: ',{"document":{"name' },
    'a"document': { arrayValue: {} },
  };
  const row = (text: string) => ({ document: { name: text, fields: { map }, updateTime: '' } });

  test.each([
    ['of one long document', [{ found: { text: LONG } }]],
    ['of one long row', [row(LONG)]],
    ['of the longest row', [row('x'.repeat(1024 ** 2 - 500))]],
    ['of long and short rows', [row('a'), row(LONG), row('b'), row(LONG), row('c')]],
    ['of many rows', Array.from({ length: 3_000 }, (_, index) => row(`${index}`))],
  ])('%s', (_, elements) => {
    for (const separator of [',', '\n,\n']) {
      const body = `[${elements.map((element) => JSON.stringify(element)).join(separator)}]`;
      for (const size of [1_000, 65_537, body.length]) {
        const read: unknown[] = [];
        const reader = readArray(
          (element) => read.push(element),
          () => read,
        );
        const search = vi.spyOn(String.prototype, 'lastIndexOf');
        for (let at = 0; at < body.length; at += size) reader.onData(body.slice(at, at + size));
        // A long element is not searched again with each piece of it.
        expect(search.mock.calls.length).toBeLessThan(100);
        search.mockRestore();
        // Waiting text needs memory, so the rows must not wait for the end of the body.
        if (elements.length > 100 && size < body.length) expect(read.length).toBeGreaterThan(1_000);
        expect(reader.result()).toStrictEqual(elements);
      }
    }
  });

  const nothing = (): void => undefined;
  test.each<[string, string, string?, BodyReader<void>?]>([
    ['brackets', '['],
    ['objects', '{},'],
    ['blanks', ' '],
    ['a row without an end', '[{"document":{"name":"', 'x'],
    ['a text, which is no array', 'x', 'x', readText(nothing)],
  ])(
    'are given up after 1 MiB of %s',
    (_, begin, rest = begin, reader = readArray(nothing, nothing)) => {
      let sent = 0;
      const piece = rest.repeat(10_000);
      const send = (text: string): void => {
        sent += text.length;
        reader.onData(text);
      };
      send(begin);
      expect(() => {
        for (;;) send(piece);
      }).toThrow('the response is too long');
      expect(sent).toBeLessThan(1024 ** 2 + 2 * piece.length);
    },
  );
});

// On a busy machine, no test can tell a late response from a slow machine.
test('each limit ends before the next one, and a lookup a second before the promised ten', () => {
  const promised = 10_000;
  const inner = [NAME_LIMIT_MS, SILENCE_MS, ACCESS_TOKEN_LIMIT_MS, REQUEST_LIMIT_MS];
  const limits = [...inner, SHUTDOWN_LIMIT_MS, promised, PLATFORM_TIMEOUT_SECONDS * 1_000];
  expect(limits).toEqual(limits.toSorted((a, b) => a - b));
  expect(REQUEST_LIMIT_MS).toBeLessThanOrEqual(promised - 1_000);
});
