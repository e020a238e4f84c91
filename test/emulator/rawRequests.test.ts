// What HTTP clients do not send, byte for byte: the responses are ours, and nothing of it is printed.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ErrorCode, errorRow } from '../../functions/src/errors.ts';
import { type ServedFunction, serveFunction } from '../../testbed/servedFunction.ts';
import { exchange, parseResponses, type WireResponse } from './support/rawHttp.ts';
import { seedKey } from './support/seed.ts';

/** Subjects that nobody has: each one may be known by its part before the sign. */
const EMAIL = 'printed.nowhere@example.com';
const TOKEN = '0c1a5f6b-printed-nowhere';

let served: ServedFunction;
let key: string;

beforeAll(async () => {
  key = await seedKey();
  served = await serveFunction();
});
afterAll(() => served.stop());

const get = (target: string, ...headers: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: x', `X-PoH-API-Key: ${key}`, ...headers, '', ''].join('\r\n');
const CLOSE = 'Connection: close';

async function responsesTo(bytes: string): Promise<WireResponse[]> {
  return parseResponses(await exchange(served.url, bytes));
}

/** Ours: of the table of errors, with every header that ours have. */
function expectOurs(response: WireResponse | undefined, code: ErrorCode): void {
  expect(JSON.parse(response?.text ?? '')).toStrictEqual({
    error: errorRow(code).message,
    code,
    requestId: response?.headers['x-request-id'],
  });
  expect(response).toMatchObject({
    status: errorRow(code).status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}

test.each<[ErrorCode, string]>([
  ['email_not_found', `http://[/?email=${EMAIL}`],
  ['email_not_found', `http://x:c/?email=${EMAIL}&x=%V`],
  ['email_not_found', `http://a:b@x:99999/pohAttestationsEndpoint?email=${EMAIL}`],
  ['email_not_found', `http://x?email=${EMAIL}`],
  ['token_not_found', `http://x:c/?token=${TOKEN}%V`],
  ['token_not_found', `HTTP://x/?token=${TOKEN}#%V`],
  ['missing_subject', 'http://%/'],
  ['not_found', `http://x:c/${TOKEN}%V`],
  ['not_found', `http://[/${EMAIL}?%V`],
  ['not_found', `//x:c/?email=${EMAIL}`],
  ['not_found', `/%V/${EMAIL}`],
  ['not_found', `ftp://x:c/?email=${EMAIL}%V`],
])('%s: GET %s', async (code, target) => {
  const responses = await responsesTo(get(target, CLOSE));
  expect(responses).toHaveLength(1);
  expectOurs(responses[0], code);
});

test('nothing of it was printed, by whomever', () => {
  expect(served.output()).toContain('"message":"lookup"');
  expect(served.output()).not.toMatch(/printed.nowhere|Warning|Error:/i);
});
