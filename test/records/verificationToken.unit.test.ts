import { expect, test } from 'vitest';
import {
  CLOCK_SKEW_MS,
  parseTokenId,
  TOKEN_LIFETIME_MS,
  tokenStateAt,
} from '../../records/verificationToken.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const WALLET = 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2';
const at = (ms: number) => ({ toMillis: () => ms });

test('a token is valid for 24 hours, and 5 minutes of clock skew are allowed', () => {
  expect(TOKEN_LIFETIME_MS).toBe(86_400_000);
  expect(CLOCK_SKEW_MS).toBe(300_000);
});

test.each([
  ['when it is created', NOW, true],
  ['one millisecond before it expires', NOW - TOKEN_LIFETIME_MS + 1, true],
  ['when it expires', NOW - TOKEN_LIFETIME_MS, false],
  ['one millisecond after it expires', NOW - TOKEN_LIFETIME_MS - 1, false],
  ['if its creation time is ahead by the allowed skew', NOW + CLOCK_SKEW_MS, true],
  [
    'if its creation time is ahead by a millisecond more than the allowed skew',
    NOW + CLOCK_SKEW_MS + 1,
    false,
  ],
])('whether a token is valid %s', (_, createdAtMs, isValid) => {
  const stored = { wallet: WALLET, createdAt: at(createdAtMs) };
  expect(tokenStateAt(stored, NOW).wallet).toBe(isValid ? WALLET : undefined);
});

const good = { wallet: WALLET, createdAt: at(NOW) };

test.each([
  ['valid', good],
  ['valid', { ...good, revoked: false, uid: 7, note: 'by hand' }],
  ['revoked', { ...good, revoked: true }],
  ['revoked', { ...good, revoked: null }],
  ['revoked', { ...good, revoked: 'false' }],
  ['revoked', { wallet: WALLET, createdAt: at(NOW - TOKEN_LIFETIME_MS), revoked: true }],
  ['expired', { wallet: WALLET, createdAt: at(NOW - TOKEN_LIFETIME_MS) }],
  ['unusable', undefined],
  ['unusable', { createdAt: at(NOW) }],
  ['unusable', { ...good, wallet: 'x' }],
  ['unusable', { ...good, wallet: 7 }],
  ['unusable', { wallet: WALLET }],
  ['unusable', { ...good, createdAt: null }],
  ['unusable', { ...good, createdAt: new Date(NOW).toISOString() }],
  ['unusable', { ...good, createdAt: at(Number.NaN) }],
  ['unusable', { ...good, createdAt: at(NOW + CLOCK_SKEW_MS + 1) }],
])('the state is %s for %j', (state, stored) => {
  const expected = state === 'valid' ? { state, wallet: WALLET } : { state };
  expect(tokenStateAt(stored, NOW)).toEqual(expected);
});

test.each([
  ['6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01', '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01'],
  ['6F1F3C1E-2B7A-4A43-9D52-0C1A5F6B7E01', '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01'],
  ['6f1f3c1e2b7a4a439d520c1a5f6b7e01', undefined],
  ['{6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01}', undefined],
  ['6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01\n', undefined],
  ['6g1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01', undefined],
  ['', undefined],
])('the token id %j is read as %j', (value, id) => {
  expect(parseTokenId(value)).toBe(id);
});
