import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashKeyBytes } from '../../functions/src/lookup/apiKeys.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';

describe('hashApiKey', () => {
  // FIPS 180-2, appendix B.1.
  const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

  test('is SHA-256 in lower-case hex', () => {
    expect(hashApiKey('abc')).toBe(ABC);
    expect(keyId(hashApiKey('abc'))).toBe('ba7816bf8f01');
  });

  test('hashes the UTF-8 bytes of a text', () => {
    expect(hashApiKey('clé🙂')).toBe(hashApiKey(Buffer.from('clé🙂', 'utf8')));
  });
});

test('the endpoint hashes keys as their records are stored', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (key) => {
      expect(hashKeyBytes(key)).toBe(hashApiKey(key));
    }),
  );
});
