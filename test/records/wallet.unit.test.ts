import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWallet } from '../../records/wallet.ts';
import { WRONG } from './wrongValues.ts';

test('32 bytes in base58 are a wallet, which is returned unchanged, and any other number is not', () => {
  const wallet = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.oneof(wallet, fc.uint8Array({ maxLength: 64 })), (bytes) => {
      const address = bs58.encode(bytes);
      expect(parseWallet(address)).toBe(bytes.length === 32 ? address : undefined);
    }),
  );
});

// Decoding so long a text would take 5 s.
test.for([undefined, 'z'.repeat(100_000), ...WRONG.address, ...WRONG.anything])(
  '%j is not a wallet',
  { timeout: 1_000 },
  (value) => {
    expect(parseWallet(value)).toBeUndefined();
  },
);
