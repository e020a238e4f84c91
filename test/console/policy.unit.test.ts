// Tests the headers with which Hosting serves the console and the documentation site.

import { expect, test } from 'vitest';
import firebase from '../../firebase.json' with { type: 'json' };

const CALLED = ['identitytoolkit', 'securetoken', 'firestore'];
const COMMON = { 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'clipboard-write=(self), clipboard-read=(), camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

test.each([
  ['console', ["'script'", ...CALLED.map((name) => `https://${name}.googleapis.com`)], ISOLATED],
  ['site', ['data:', 'https://firestore.googleapis.com'], {}],
])('the policy of the %s allows only what it needs', (target, others, isolated) => {
  const [everywhere] = firebase.hosting.find((each) => each.target === target)?.headers ?? [];
  const headers = Object.fromEntries(
    everywhere?.headers.map(({ key, value }) => [key, value]) ?? [],
  );
  expect(headers).toMatchObject({ ...COMMON, ...isolated });
  const { 'Content-Security-Policy': policy = '' } = headers;
  const sources = policy.split('; ').flatMap((directive) => directive.split(' ').slice(1));
  expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", ...others]));
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
    expect(policy).toContain(`; ${name} 'none'`);
});
