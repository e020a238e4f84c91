// Sends bytes that HTTP clients do not send. The service itself must respond, and must not print any part
// of the requests.

import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import {
  connectTo,
  exchange,
  parseResponses,
  requestEntries,
  type WireResponse,
} from '../support/http.ts';
import { seedKey } from '../support/seed.ts';

/** Subjects without an account. The log is searched for a part of them. */
const EMAIL = 'printed.nowhere@example.com';
const TOKEN = '0c1a5f6b-printed-nowhere';
/** The fields of the log line of a refused request with a valid key. */
const LOGGED = 'code durationMs keyId message project reads requestId severity status'.split(' ');

const key = await seedKey();
const served = await serveFunction();
afterAll(() => served.stop());

const get = (target: string, ...headers: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: x', `X-PoH-API-Key: ${key}`, ...headers, '', ''].join('\r\n');
const CLOSE = 'Connection: close';

async function responsesTo(bytes: string): Promise<WireResponse[]> {
  return parseResponses(await exchange(served.url, bytes));
}

/** Expects a response from the error table, with all headers that the service sends. */
function expectOurs(response: WireResponse | undefined, code: ErrorCode): void {
  expect(JSON.parse(response?.text ?? '')).toStrictEqual({
    error: ERRORS[code].message,
    code,
    requestId: response?.headers['x-request-id'],
  });
  expect(response).toMatchObject({
    status: ERRORS[code].status,
    headers: {
      ...(code === 'method_not_allowed' && { allow: 'GET, HEAD' }),
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      date: expect.stringMatching(/ GMT$/),
    },
  });
}

const LONG = 'x'.repeat(20_000);
const NO_HOST = `GET /?email=${EMAIL} HTTP/1.1\r\nConnection: close\r\n\r\n`;
const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const BY_TOKEN = `/?token=${TOKEN}`;
const BY_EMAIL = `/?email=${EMAIL}`;

test.each<[string, readonly ErrorCode[], string]>([
  ['an absolute form without a host', ['email_not_found'], get(`http://[${BY_EMAIL}`, CLOSE)],
  ['an absolute form with a bad port', ['token_not_found'], get(`http://x:c${BY_TOKEN}%V`, CLOSE)],
  [
    'an absolute form without a path',
    ['token_not_found'],
    get(`HTTPS://x:1?token=${TOKEN}`, CLOSE),
  ],
  ['an asterisk', ['not_found'], get('*', CLOSE)],
  ['a fragment', ['token_not_found'], get(`HTTP://x${BY_TOKEN}#%V`, CLOSE)],
  ['a broken escape in the path', ['not_found'], get(`/%V/${EMAIL}`, CLOSE)],
  ['an unknown expectation', ['missing_subject'], get('/', 'Expect: x', CLOSE)],
  [
    'a body that waits for 100 Continue',
    ['missing_subject'],
    get('/', 'Expect: 100-continue', 'Content-Length: 5', CLOSE),
  ],
  ['no Host, and another path', ['malformed_request'], NO_HOST.replace('/?', '/unserved?')],
  ['many headers', ['token_not_found'], get(BY_TOKEN, ...Array<string>(1_100).fill('X:'), CLOSE)],
  ['headers that are too long', ['malformed_request'], get('/', `X: ${LONG}`)],
  ['a target that is too long', ['malformed_request'], get(`${BY_EMAIL}${LONG}`)],
  ['a space in the target', ['malformed_request'], get(`${BY_EMAIL} x`)],
  ['an invalid target', ['malformed_request'], get(EMAIL)],
  ['an invalid method', ['malformed_request'], `X${get('/')}`],
  [
    'the beginning of a TLS handshake',
    ['malformed_request'],
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ],
  [
    'a request to upgrade',
    ['token_not_found'],
    get(BY_TOKEN, 'Upgrade: websocket', 'Connection: Upgrade'),
  ],
  ...['HTTP/1.0', 'HTTP/2.0', 'RTSP/1.0'].map((version): [string, ErrorCode[], string] => [
    `${version} with a key`,
    ['malformed_request'],
    `${get('/').replace('HTTP/1.1', version)}${get('/')}`,
  ]),
  ['two Hosts with a key', ['malformed_request'], `${get('/', 'Host: x')}${get('/')}`],
])('%s gets %j, and its connection is closed', async (_name, codes, bytes) => {
  const responses = await responsesTo(bytes);
  expect(responses.map(({ text }) => JSON.parse(text).code)).toEqual(codes);
  for (const [index, code] of codes.entries()) expectOurs(responses[index], code);
  expect(responses.at(-1)?.headers['connection']).toBe('close');
});

test.each(METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method)))(
  '%s is not allowed',
  async (method) => {
    const [response] = await responsesTo(get('/', CLOSE).replace('GET', method));
    expectOurs(response, 'method_not_allowed');
  },
);

test('an incomplete request gets a response and is logged', async () => {
  const [response] = parseResponses(await exchange(served.url, `GET /?email=${EMAIL} HT`, true));
  expectOurs(response, 'malformed_request');
  expect(requestEntries(served.output())).toContainEqual(
    expect.objectContaining({
      requestId: response?.headers['x-request-id'],
      status: 400,
      code: 'malformed_request',
    }),
  );
});

test('a body that turns out to be invalid is not answered into the response to its request', async () => {
  // The last line may be that of a request after a malformed one, whose key was read meanwhile.
  const logged = () =>
    requestEntries(served.output()).filter(({ code }) => code === 'method_not_allowed').length;
  const before = logged();
  const socket = await connectTo(served.url);
  socket.write(`${CHUNKED}${TOKEN}\r\n`);
  const received = text(socket);
  await expect.poll(logged).toBe(before + 1);
  socket.write(TOKEN);
  const responses = parseResponses(await received);
  expect(responses).toHaveLength(2);
  expectOurs(responses[0], 'method_not_allowed');
  expectOurs(responses[1], 'malformed_request');
});

test('a caller that resets its connection is not refused', async () => {
  const logged = requestEntries(served.output()).length;
  const socket = await connectTo(served.url);
  socket.write(get('/'));
  await once(socket, 'data');
  socket.resetAndDestroy();
  await responsesTo(get('/', CLOSE));
  expect(requestEntries(served.output())).toHaveLength(logged + 2);
});

test('a caller that goes on sending after a refusal is disconnected', async () => {
  const { hostname, port } = new URL(served.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write(NO_HOST.replace('HTTP/1.1', 'HTTP'));
  await once(socket, 'end');
  const sending = setInterval(() => socket.write('x'), 100);
  // Not `once`, which would reject when the system reports the disconnection as an error.
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(sending);
});

test('a connection without a request is closed without a response', async () => {
  const logged = served.output();
  expect(await exchange(served.url, '', true)).toBe('');
  expect(served.output()).toBe(logged);
});

test('headers whose names are as long as Host, and headers that the framework would log, are ignored', async () => {
  const headers = [
    `From: ${EMAIL}`,
    'Date: x',
    `Function-Execution-Id: ${EMAIL}`,
    `X-Cloud-Trace-Context: ${EMAIL}/777;o=1`,
  ];
  const responses = await responsesTo(get('/', ...headers, CLOSE));
  expectOurs(responses[0], 'missing_subject');
  const [requestId] = responses.map((response) => response.headers['x-request-id']);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  const entry = requestEntries(served.output()).find((line) => line['requestId'] === requestId);
  expect(Object.keys(entry ?? {}).sort()).toEqual(LOGGED);
});

test('nothing from the requests was printed', async () => {
  await responsesTo(get(`/?email=${EMAIL}`, CLOSE));
  expect(served.output()).toContain('"message":"lookup"');
  expect(served.output()).not.toMatch(/printed.nowhere|Warning|Error:/i);
});
