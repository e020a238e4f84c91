import { expect, test } from 'vitest';
import { splitTarget } from '../../functions/src/lookup/requestTarget.ts';
import { readRequest } from '../../functions/src/server/incomingRequests.ts';

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
  ['http://[/?a', '/', 'a'],
  ['http://a@b:99999/?a', '/', 'a'],
  ['ftp://host/?a', 'ftp://host/', 'a'],
])('the target %j has path %j and query %j', (target, path, query) => {
  expect(splitTarget(target)).toStrictEqual({ path, query });
});

const request = (httpVersion: string, rawHeaders: string[]) =>
  readRequest({ method: 'GET', url: '/?a', headers: {}, rawHeaders, httpVersion });

test.each([
  ['HTTP/1.1 with one Host', '1.1', ['Host', 'x', 'A', 'host'], true],
  ['HTTP/1.1 without Host', '1.1', ['A', 'host'], false],
  ['HTTP/1.1 with two Hosts', '1.1', ['host', 'x', 'HOST', 'x'], false],
  ['HTTP/1.0', '1.0', ['Host', 'x'], false],
  ['HTTP/2.0', '2.0', ['Host', 'x'], false],
])('whether %s is valid', (_, version, rawHeaders, isValid) => {
  expect(request(version, rawHeaders).target).toEqual(
    isValid ? { path: '/', query: 'a' } : undefined,
  );
});
