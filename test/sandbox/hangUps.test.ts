// Tests that no input, not even an incomplete request, crashes the servers of `npm start`. An unhandled
// exception fails the run.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemonstrationChain, writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type ServedSite, serveSite } from '../../tools/sandbox/hosting.ts';
import type { TestChain } from '../../tools/sandbox/testChain.ts';

let site: ServedSite;
let chain: TestChain;

beforeAll(async () => {
  await writeDemonstration();
  [site, chain] = await Promise.all([serveSite(), startDemonstrationChain()]);
});
afterAll(() => Promise.all([site.stop(), chain[Symbol.asyncDispose]()]));

const HEAD = 'Host: localhost\r\nContent-Type: application/json\r\n';
const post = (body: string): string =>
  `POST / HTTP/1.1\r\n${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\n${HEAD}${headers}\r\n`;
const LOOK_UP = get(
  `/pohAttestationsEndpoint?email=${DEMONSTRATION.email}`,
  `X-PoH-API-Key: ${DEMONSTRATION.key}\r\n`,
);
const account = (address: unknown, options: unknown = { encoding: 'base64' }): string =>
  post(JSON.stringify({ id: 1, method: 'getAccountInfo', params: [address, options] }));

/** Each is sent over a separate connection. The server may respond or close the connection. */
const REQUESTS = [
  'GET /',
  'GET / HTTP/1.1\r\n\r\n',
  'not http\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  get('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'),
  get('/', 'Expect: 100-continue\r\n'),
  get('/', `X: ${'x'.repeat(20_000)}\r\n`),
  ...['/%', '/%c0%af', '//', '/../..', '/\u00fc', 'http://other.example/', '*', '/\0'].map(
    (target) => get(target),
  ),
  ...['?%', '?email=\u00fc', '//', '/..%2f', '?a=1#b'].map((rest) =>
    get(`/pohAttestationsEndpoint${rest}`),
  ),
  post(''),
  ...['{', 'null', '[]', '1', '"a"', '{}', '{"method":"getAccountInfo"}', '[{}]'].map(post),
  ...['', 'x', '0OIl', 5, null, '1'.repeat(1000), '1'.repeat(44)].map((address) =>
    account(address),
  ),
  ...[
    null,
    {},
    { encoding: 'jsonParsed' },
    { encoding: 'base64', dataSlice: { offset: -1, length: 1e9 } },
  ].map((options) => account(DEMONSTRATION.wallet, options)),
  post('x'.repeat(200_000)),
  `POST / HTTP/1.1\r\n${HEAD}Content-Length: 1000\r\n\r\n{"method":`,
  `POST / HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `POST /pohAttestationsEndpoint HTTP/1.1\r\n${HEAD}Content-Length: 1000\r\n\r\n{`,
];

/** Sends bytes, and hangs up after `hangUpAfterMs` unless the server hangs up first. */
async function send(address: string, bytes: string, hangUpAfterMs: number): Promise<void> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const closed = once(socket, 'close');
  socket.on('error', () => undefined).resume();
  socket.write(bytes, 'latin1');
  await Promise.race([closed, wait(hangUpAfterMs)]);
  socket.destroy();
  await closed;
}

describe.each([
  ['the site', () => site.url],
  ['the chain', () => chain.url],
] as const)('%s', (_, address) => {
  test.each([0, 5, 300])('survives every request whose client hangs up after %i ms', async (ms) => {
    await Promise.all(REQUESTS.map((request) => send(address(), request, ms)));
  });

  test('survives a request that is truncated at any byte', async () => {
    const request = account(DEMONSTRATION.wallet);
    const cuts = Array.from({ length: request.length }, (_, end) => request.slice(0, end));
    await Promise.all(cuts.map((cut) => send(address(), cut, 2)));
  });
});

test('the site survives lookups whose clients hang up, and still responds', async () => {
  // The lookups are not concurrent, because the Functions emulator would start a process for each.
  for (const ms of [0, 1, 2, 5, 10, 20, 40, 80]) await send(site.url, LOOK_UP, ms);
  const url = `${site.url}pohAttestationsEndpoint?token=${DEMONSTRATION.token}`;
  const response = await fetch(url, { headers: { 'X-PoH-API-Key': DEMONSTRATION.key } });
  expect(await response.json()).toMatchObject({ hasVerifiedHuman: true });
});

test('the chain still responds', async () => {
  const body = {
    id: 7,
    method: 'getAccountInfo',
    params: [DEMONSTRATION.wallet, { encoding: 'base64' }],
  };
  const response = await fetch(chain.url, { method: 'POST', body: JSON.stringify(body) });
  expect(await response.json()).toMatchObject({ id: 7, result: { value: null } });
  expect((await fetch(chain.url)).status).toBe(200);
});
