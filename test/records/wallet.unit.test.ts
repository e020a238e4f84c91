import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWallet } from '../../records/wallet.ts';
import { WRONG } from './wrongValues.ts';

test('32 bytes in base58 are a wallet, which is returned unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const address = bs58.encode(bytes);
      expect(parseWallet(address)).toBe(address);
    }),
  );
});

test('any other number of bytes is not a wallet', () => {
  const otherLength = fc.uint8Array({ maxLength: 64 }).filter((bytes) => bytes.length !== 32);
  fc.assert(
    fc.property(otherLength, (bytes) => {
      expect(parseWallet(bs58.encode(bytes))).toBeUndefined();
    }),
  );
});

test.for([undefined, '1'.repeat(1_000_000), ...WRONG.address, ...WRONG.anything])(
  '%j is not a wallet',
  (value) => {
    expect(parseWallet(value)).toBeUndefined();
  },
);
