import { randomBytes } from 'node:crypto';
import bs58check from 'bs58check';
import { expect, test } from 'vitest';
import { API_KEY_PATTERN, newApiKey } from '../../records/apiKeyText.ts';

test.each([
  // Bitcoin wiki, "Technical background of version 1 Bitcoin addresses".
  ['00f54a5851e9372b87810a8e60cdd2e7cfd80b6e31', 'poh_1PMycacnJaSqwwJqjawXBErnLsZ7RkXUAs'],
  // Bitcoin Core, base58_keys_valid.json: a private key of 32 bytes after its version.
  [
    '80eddbdc1168f1daeadbd3e44c1e3f8f5a284c2029f78ad26af98583a499de5b19',
    'poh_5Kd3NBUAdUnhyzenEwVLy9pBKxSwXvE9FMPyR4UKZvpe6E3AgLr',
  ],
])('%s is %s', (hex, key) => {
  expect(newApiKey(() => Buffer.from(hex, 'hex'))).toBe(key);
});

test.each([
  'poh_live_11111111111111111111111111111111111111111111',
  'poh_0000000000000000000000000000000000000000000000',
  'poh_1111',
])('%s is not a key of this form', (text) => {
  expect(API_KEY_PATTERN.test(text)).toBe(false);
});

test('every key has 32 random bytes, no two are the same, and scanners find each', () => {
  const keys = Array.from({ length: 1_000 }, () => newApiKey(randomBytes));
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) {
    expect(bs58check.decode(key.slice('poh_'.length))).toHaveLength(32);
    expect(API_KEY_PATTERN.exec(`key="${key}";`)?.[0]).toBe(key);
  }
});
