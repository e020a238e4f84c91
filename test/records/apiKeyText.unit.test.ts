import { createHash, randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { API_KEY_PATTERN, formatApiKey, newApiKey } from '../../records/apiKeyText.ts';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

test.each([
  // Bitcoin wiki, "Technical background of version 1 Bitcoin addresses".
  ['00f54a5851e9372b87810a8e60cdd2e7cfd80b6e31', 'poh_1PMycacnJaSqwwJqjawXBErnLsZ7RkXUAs'],
  // Bitcoin Core, base58_keys_valid.json: a private key of 32 bytes after its version.
  [
    '80eddbdc1168f1daeadbd3e44c1e3f8f5a284c2029f78ad26af98583a499de5b19',
    'poh_5Kd3NBUAdUnhyzenEwVLy9pBKxSwXvE9FMPyR4UKZvpe6E3AgLr',
  ],
])('%s is %s', (hex, key) => {
  expect(formatApiKey(Buffer.from(hex, 'hex'))).toBe(key);
});

test('any 32 bytes make a key that has a valid checksum and that scanners find', () => {
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(secret, (bytes) => {
      fc.pre(bytes.some((byte) => byte > 0));
      const key = formatApiKey(bytes);
      const [found] = API_KEY_PATTERN.exec(`key="${key}";`) ?? [];
      const decoded = bs58.decode(key.slice('poh_'.length));
      expect(decoded.slice(0, 32)).toEqual(bytes);
      expect(Buffer.from(decoded.slice(32))).toEqual(sha256(sha256(bytes)).subarray(0, 4));
      // A key with many leading zero bytes is too short for the pattern. Random bytes practically never have them.
      if (bytes[0] !== 0 || bytes[1] !== 0) expect(found).toBe(key);
    }),
  );
});

test.each([
  'poh_live_11111111111111111111111111111111111111111111',
  'poh_0000000000000000000000000000000000000000000000',
  'poh_1111',
])('%s is not a key of this form', (text) => {
  expect(API_KEY_PATTERN.test(text)).toBe(false);
});

test('no two keys are the same', () => {
  const keys = Array.from({ length: 1_000 }, () => newApiKey(randomBytes));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => API_KEY_PATTERN.test(key))).toBe(true);
});
