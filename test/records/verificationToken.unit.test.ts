import { expect, test } from 'vitest';
import { DAY_MS } from '../../contract/endpoint.ts';
import type { Stored } from '../../records/storedValues.ts';
import { parseTokenId, tokenStateAt } from '../../records/verificationToken.ts';
import { WRONG } from './wrongValues.ts';

const SKEW_MS = 300_000;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const at = (ms: number) => ({ toMillis: () => ms });

/** The state of a token, of which only a valid one has a wallet. */
const expected = (state: string) => (state === 'valid' ? { state, wallet: WALLET } : { state });

test.each([
  ['when it is created', NOW, 'valid'],
  ['one millisecond before it expires', NOW - DAY_MS + 1, 'valid'],
  ['when it expires', NOW - DAY_MS, 'expired'],
  ['if its creation time is 5 minutes ahead', NOW + SKEW_MS, 'valid'],
  ['if its creation time is 5 minutes and a millisecond ahead', NOW + SKEW_MS + 1, 'unusable'],
])('whether a token is valid %s', (_, createdAtMs, state) => {
  const stored = { wallet: WALLET, createdAt: at(createdAtMs) };
  expect(tokenStateAt(stored, NOW)).toEqual(expected(state));
});

const good = { wallet: WALLET, createdAt: at(NOW) };

test.each<[state: string, stored: Stored | undefined]>([
  ['valid', { ...good, revoked: false, uid: 7, note: 7 }],
  ['revoked', { ...good, revoked: true }],
  ['revoked', { ...good, revoked: null }],
  ['revoked', { ...good, revoked: 'false' }],
  ['revoked', { wallet: WALLET, createdAt: at(NOW - DAY_MS), revoked: true }],
  ['unusable', undefined],
  ['unusable', { createdAt: at(NOW) }],
  ['unusable', { wallet: WALLET }],
  ['unusable', { ...good, createdAt: new Date(NOW).toISOString() }],
  ['unusable', { ...good, createdAt: at(Number.NaN) }],
  ...[...WRONG.anything, 7].map((project): [string, Stored] => ['unusable', { ...good, project }]),
  ...WRONG.anything.map((createdAt): [string, Stored] => ['unusable', { ...good, createdAt }]),
  ...[...WRONG.address, ...WRONG.anything].map((wallet): [string, Stored] => [
    'unusable',
    { ...good, wallet },
  ]),
])('the state is %s for %j', (state, stored) => {
  expect(tokenStateAt(stored, NOW)).toEqual(expected(state));
});

test('only a valid token that was made for one project has a project', () => {
  const stored = { ...good, project: 'Acme DAO' };
  const valid = { state: 'valid', wallet: WALLET, project: 'Acme DAO' };
  expect(tokenStateAt(stored, NOW)).toEqual(valid);
  expect(tokenStateAt(stored, NOW + DAY_MS)).toEqual({ state: 'expired' });
});

test.each([
  ['6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01', '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01'],
  ['6F1F3C1E-2B7A-4A43-9D52-0C1A5F6B7E01', '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01'],
  ['018f3c1e-2b7a-7a43-9d52-0c1a5f6b7e01', '018f3c1e-2b7a-7a43-9d52-0c1a5f6b7e01'],
  ['6f1f3c1e2b7a4a439d520c1a5f6b7e01', undefined],
  ['{6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01}', undefined],
  ['6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01\n', undefined],
  ['6g1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01', undefined],
  ['', undefined],
])('the token id %j is read as %j', (value, id) => {
  expect(parseTokenId(value)).toBe(id);
});
