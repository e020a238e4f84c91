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

const COMMON = { 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };
const SITE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CONSOLE = {
  ...COMMON,
  // It has no unsafe source.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://firestore.googleapis.com; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Permissions-Policy':
    'clipboard-write=(self), clipboard-read=(), camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

test.each([
  ['console', CONSOLE],
  ['site', { ...COMMON, 'Content-Security-Policy': SITE_POLICY }],
])('the policy of the %s allows only what it needs', (target, expected) => {
  const rules = sites.find((each) => each.target === target)?.headers ?? [];
  const rows = rules.filter(({ source }) => source === '**').flatMap(({ headers }) => headers);
  expect(Object.fromEntries(rows.map(({ key, value }) => [key, value]))).toEqual(expected);
});
