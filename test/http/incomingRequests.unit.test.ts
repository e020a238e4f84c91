import { expect, test } from 'vitest';
import { normalize } from '../../functions/src/server/incomingRequests.ts';
import { splitTarget } from '../../functions/src/lookup/requestTarget.ts';

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
  ['/pohAttestationsEndpoint?a=b', '/?a=b'],
  ['http://host/pohAttestationsEndpoint?a', '/?a'],
  ['http://host/?a', '/?a'],
  ['http://[/?a', '/?a'],
  ['http://%/', '/?'],
  ['http://x:c/?%V', '/?%V'],
  ['http://a@b:99999/?a', '/?a'],
  ['/', '/?'],
  ['/pohAttestationsEndpoint/?a', '/unserved'],
  ['/%E0%A4%A?a', '/unserved'],
  ['//host/?a', '/unserved'],
  ['ftp://host/?a', '/unserved'],
  ['/favicon.ico', '/unserved'],
  ['*', '/unserved'],
  ['/unserved', '/unserved'],
  ['/malformed', '/unserved'],
])('the target %j reaches the framework as %j', (url, normalized) => {
  const request = { url, headers: { host: 'x' }, httpVersion: '1.1' };
  normalize(request);
  expect(request.url).toBe(normalized);
});

test.each([
  ['1.0', '/?a'],
  ['1.1', '/malformed'],
])('HTTP/%s without the header Host reaches the framework as %j', (httpVersion, normalized) => {
  const request = { url: '/?a', headers: {}, httpVersion };
  normalize(request);
  expect(request).toMatchObject({ url: normalized, headers: { host: '' } });
});

test('the framework sees no header that announces a body, and every other one', () => {
  const headers = { host: 'x', 'x-poh-api-key': 'k' };
  const request = {
    url: '/?a',
    headers: { ...headers, 'content-length': '5', 'transfer-encoding': 'chunked' },
    httpVersion: '1.1',
  };
  normalize(request);
  expect(request).toStrictEqual({ url: '/?a', headers, httpVersion: '1.1' });
});
