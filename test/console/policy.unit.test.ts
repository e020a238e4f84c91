// The headers under which Hosting serves the console.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Site {
  readonly target: string;
  readonly public: string;
  readonly headers: readonly {
    readonly source: string;
    readonly headers: readonly { readonly key: string; readonly value: string }[];
  }[];
}

const FIREBASE = JSON.parse(readFileSync(new URL('../../firebase.json', import.meta.url), 'utf8'));
const sites: readonly Site[] = FIREBASE.hosting;
const site = sites.find(({ target }) => target === 'console');

function policy(): Map<string, string[]> {
  const rules = site?.headers.filter(({ source }) => source === '**') ?? [];
  const value = rules
    .flatMap(({ headers }) => headers)
    .find(({ key }) => key === 'Content-Security-Policy')?.value;
  const directives = (value ?? '').split(';').map((text) => text.trim().split(' '));
  return new Map(directives.map(([name = '', ...sources]) => [name, sources]));
}

test.each([
  ['default-src', ["'none'"]],
  ['script-src', ["'self'"]],
  ['style-src', ["'self'"]],
  ['frame-ancestors', ["'none'"]],
  ['base-uri', ["'none'"]],
  ['form-action', ["'none'"]],
  ['require-trusted-types-for', ["'script'"]],
  ['trusted-types', ["'none'"]],
  [
    'connect-src',
    [
      "'self'",
      'https://identitytoolkit.googleapis.com',
      'https://securetoken.googleapis.com',
      'https://firestore.googleapis.com',
    ],
  ],
])('%s is %j', (directive, sources) => {
  expect(policy().get(directive)).toEqual(sources);
});

test('nothing in it is unsafe, and no other directive opens anything', () => {
  expect([...policy().values()].flat().join(' ')).not.toContain('unsafe');
  expect(policy().get('img-src')).toEqual(["'self'"]);
  expect(policy().size).toBe(10);
});

test('each site has a folder and a name of its own, without which nothing is deployed', () => {
  expect(new Set(sites.map(({ target }) => target)).size).toBe(sites.length);
  expect(new Set(sites.map((one) => one.public)).size).toBe(sites.length);
});

test('a page is checked each time, and what it loads has a new name with each change', () => {
  const caching = (site?.headers ?? []).flatMap(({ source, headers }) =>
    headers.filter(({ key }) => key === 'Cache-Control').map(({ value }) => [source, value]),
  );
  // The last rule that fits a file decides.
  expect(caching).toEqual([
    ['**', 'no-cache'],
    ['/assets/**', 'public, max-age=31536000, immutable'],
  ]);
});
