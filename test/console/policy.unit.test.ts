// Tests the headers with which Hosting serves the console and the documentation site.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Site {
  readonly target: string;
  readonly headers: readonly {
    readonly source: string;
    readonly headers: readonly { readonly key: string; readonly value: string }[];
  }[];
}

const FIREBASE = JSON.parse(readFileSync(new URL('../../firebase.json', import.meta.url), 'utf8'));
const sites: readonly Site[] = FIREBASE.hosting;

function headersOf(target: string): Record<string, string> {
  const rules = sites.find((each) => each.target === target)?.headers ?? [];
  const rows = rules.filter(({ source }) => source === '**').flatMap(({ headers }) => headers);
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

function policy(): Map<string, string[]> {
  const value = headersOf('console')['Content-Security-Policy'] ?? '';
  const directives = value.split(';').map((text) => text.trim().split(' '));
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

test('the policy has no unsafe source, and no directive other than these and img-src', () => {
  expect([...policy().values()].flat().join(' ')).not.toContain('unsafe');
  expect(policy().get('img-src')).toEqual(["'self'"]);
  expect(policy().size).toBe(10);
});

test('the other headers isolate the console, and the site loads only its own files', () => {
  const common = { 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };
  const { 'Content-Security-Policy': _, ...others } = headersOf('console');
  expect(others).toEqual({
    ...common,
    'Permissions-Policy':
      'clipboard-write=(self), clipboard-read=(), camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  });
  expect(headersOf('site')).toEqual({
    ...common,
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
});
