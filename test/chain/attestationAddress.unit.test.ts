// Compares the derivation with vectors of other implementations, and with a calculation in this file. The
// calculation takes the SHA-256 of seeds, bump, program and a marker, for the highest bump whose hash is not on
// the curve.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { attestationAddress } from '../../admin/chain/attestationAddress.ts';

const readVectors = <T>(name: string, vector: z.ZodType<T>): T[] => {
  const file = readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8');
  return z.object({ source: z.string(), vectors: z.array(vector) }).parse(JSON.parse(file)).vectors;
};

const ATTESTATIONS = readVectors(
  'attestationAddress',
  z.object({
    title: z.string(),
    program: z.string(),
    holder: z.string(),
    attestationType: z.int(),
    contextHashHex: z.string(),
    bump: z.int(),
    address: z.string(),
  }),
);

const PROGRAM_ADDRESSES = readVectors(
  'programAddress',
  z.object({ program: z.string(), seedsHex: z.array(z.string()), address: z.string() }),
);

/** @returns the address, or undefined if the hash is on the curve, where it may have a private key */
function programAddress(seeds: readonly Uint8Array[], program: string): string | undefined {
  const hash = createHash('sha256');
  for (const seed of seeds) hash.update(seed);
  const bytes = hash.update(bs58.decode(program)).update('ProgramDerivedAddress').digest();
  return isOnCurve(bytes) ? undefined : bs58.encode(bytes);
}

/** Accepts non-canonical encodings of points, as the runtime does (ZIP 215). */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(Uint8Array.from(bytes), true);
    return true;
  } catch {
    return false;
  }
}

function calculate(program: string, holder: string, type: number, contextHashHex: string) {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const seeds = [
      Buffer.from('attestation', 'ascii'),
      bs58.decode(holder),
      Uint8Array.of(type),
      Buffer.from(contextHashHex, 'hex'),
      Uint8Array.of(bump),
    ];
    const address = programAddress(seeds, program);
    if (address !== undefined) return { address, bump };
  }
  throw new Error('every hash is on the curve');
}

describe('the calculation in this test', () => {
  test.each(PROGRAM_ADDRESSES)(
    'returns the published $address',
    ({ program, seedsHex, address }) => {
      const seeds = seedsHex.map((seed) => Buffer.from(seed, 'hex'));
      expect(programAddress(seeds, program)).toBe(address);
    },
  );

  test('finds that a public key is on the curve', () => {
    expect(isOnCurve(ed25519.getPublicKey(randomBytes(32)))).toBe(true);
  });
});

describe('attestationAddress', () => {
  test.each(ATTESTATIONS)('$title', (vector) => {
    const { program, holder, attestationType, contextHashHex, bump, address } = vector;
    expect(attestationAddress(program, holder, attestationType, contextHashHex)).toBe(address);
    const calculated = calculate(program, holder, attestationType, contextHashHex);
    expect(calculated).toStrictEqual({ address, bump });
  });

  test('agrees with the calculation for any seeds', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const anyType = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(bytes32, bytes32, anyType, bytes32, (programBytes, holderBytes, type, hash) => {
        const [program, holder] = [bs58.encode(programBytes), bs58.encode(holderBytes)];
        const contextHashHex = Buffer.from(hash).toString('hex');
        const { address } = calculate(program, holder, type, contextHashHex);
        expect(attestationAddress(program, holder, type, contextHashHex)).toBe(address);
      }),
    );
  });

  test('accepts upper and lower case in a context hash', () => {
    const hash = randomBytes(32).toString('hex');
    const [program, holder] = [bs58.encode(randomBytes(32)), bs58.encode(randomBytes(32))];
    expect(attestationAddress(program, holder, 1, hash.toUpperCase())).toBe(
      attestationAddress(program, holder, 1, hash),
    );
  });
});
