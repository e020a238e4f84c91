// Sends random requests. Each response must be JSON with a status and code of the error table, and an error
// must not repeat anything from the request except its trace id.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { amount } from '../support/amount.ts';
import { requireContract } from '../support/contract.ts';
import { servedUrl } from '../support/endpoints.ts';
import { exchange, parseResponses } from '../support/http.ts';
import { seedKey, seedToken, seedWallet } from '../support/seed.ts';

const CASES = amount(5_000);
const CONCURRENCY = 50;

const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const token = await seedToken(wallet);

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', '\udc00x', '\0', '%', '%E0%A4%A', '%00', '%ud800', '..%2f..', '🙂'),
  fc.nat({ max: 6_000 }).map((length) => 'a'.repeat(length)),
  fc.constantFrom(wallet, token, 'a@example.com', 'x@y', '__proto__', 'apiKeys/x', '1'.repeat(32)),
  fc.uuid(),
);
const parameterName = fc.constantFrom(
  ...['wallet', 'email', 'token', 'wallet[]', 'wallet[x]', '%77allet', 'Wallet'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''],
);
const encoding = fc.constantFrom(
  (value: string) => value,
  (value: string) => encodeURIComponent(value.toWellFormed()),
);
const parameter = fc
  .tuple(parameterName, text, encoding)
  .map(([name, value, encode]) => `${name}=${encode(value)}`);
// The HTTP parser refuses blanks in a target, control characters in a header, and more than 16 KiB
// of headers. Such requests never reach a function.
const query = fc
  .oneof({ weight: 4, arbitrary: fc.array(parameter, { maxLength: 4 }) }, fc.tuple(text))
  .map((list) => Buffer.from(list.join('&').slice(0, 2_000)).toString('latin1'))
  .map((bytes) => bytes.replace(/[^!-~]/g, '%'));
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('/', 'http://example.com/') },
  fc.constantFrom('//', '/x', '/%2e', '/%E0%A4%A', '/favicon.ico', '/../', '/api/v1/poh/group'),
  fc.webPath().map((found) => found || '/'),
);
const target = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(path, query).map((parts) => parts.join('?')) },
  fc.constant('*'),
);
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'HEAD') },
  fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'),
);
const headerName = fc.constantFrom(
  ...['X-PoH-API-Key', 'X-Cloud-Trace-Context', 'Traceparent', 'Content-Type', 'Accept'],
  ...['If-None-Match', 'Origin', 'X-Forwarded-For', 'Cookie', 'Authorization', '__proto__'],
);
const headerText = fc.stringMatching(/^[\x20-\x7e\x80-\xff]*$/);
const header = fc.tuple(headerName, headerText).map((parts) => parts.join(': '));
const headers = fc.array(header, { maxLength: 6 });
const request = fc.record({ method, target, headers, hasKey: fc.boolean() });
type RequestParts = typeof request extends fc.Arbitrary<infer Parts> ? Parts : never;

test(`${CASES} random requests over HTTP get documented responses`, async () => {
  const batch = fc.array(request, { minLength: CONCURRENCY, maxLength: CONCURRENCY });
  const sendOne = async ({ method, target, headers, hasKey }: RequestParts): Promise<void> => {
    const lines = [
      `${method} ${target} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      ...headers,
      ...(hasKey ? [`X-PoH-API-Key: ${key}`] : []),
    ];
    const wire = await exchange(servedUrl, `${lines.join('\r\n')}\r\n\r\n`);
    const [response] = parseResponses(wire);
    if (!response) throw new Error(`no response to ${lines.join('\n')}`);
    const json = method === 'HEAD' ? undefined : JSON.parse(response.text);
    requireContract(method, { ...response, json });
    expect(response.status).toBeLessThan(500);
    const code: ErrorCode | undefined = json?.code;
    if (code === undefined) return;
    const requestId = response.headers['x-request-id'];
    expect(requestId).toMatch(/^([0-9a-f]{32}|[0-9a-f-]{36})$/);
    // The message is in the table, so it cannot contain text from the request or from a dependency.
    expect(json).toStrictEqual({ error: ERRORS[code].message, code, requestId });
  };
  await fc.assert(
    fc.asyncProperty(batch, async (requests) => {
      await Promise.all(requests.map(sendOne));
    }),
    { numRuns: CASES / CONCURRENCY, endOnFailure: true },
  );
});
