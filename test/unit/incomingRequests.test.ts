import { expect, test } from 'vitest';
import { normalize } from '../../functions/src/platform/incomingRequests.ts';
import { splitTarget } from '../../functions/src/requestTarget.ts';

test.each([
  ['/', '/', ''],
  ['', '/', ''],
  ['?a=b', '/', 'a=b'],
  ['/?a=b?c', '/', 'a=b?c'],
  ['/x?a', '/x', 'a'],
  ['//?a', '//', 'a'],
  ['*', '*', ''],
  ['http://host/?a=b', '/', 'a=b'],
  ['HTTPS://host:1/x?a', '/x', 'a'],
  ['http://host?a=b', '/', 'a=b'],
])('the target %j has path %j and query %j', (target, path, query) => {
  expect(splitTarget(target)).toStrictEqual({ path, query });
});

test.each([
  ['/?wallet=%E0%A4%A', '/?wallet=%E0%A4%A'],
  ['http://host/?a', 'http://host/?a'],
  ['/%E0%A4%A?a', '/unserved'],
  ['/favicon.ico', '/unserved'],
  ['*', '/unserved'],
])('the target %j reaches the framework as %j', (url, mended) => {
  const request = { url, headers: {} };
  normalize(request);
  expect(request.url).toBe(mended);
});

test('no body is announced to the framework, and nothing else is touched', () => {
  const request = {
    url: '/',
    headers: { 'content-length': '5', 'transfer-encoding': 'chunked', 'x-poh-api-key': 'k' },
  };
  normalize(request);
  expect(request).toStrictEqual({ url: '/', headers: { 'x-poh-api-key': 'k' } });
});
