// Derives the address of an attestation's account on the chain (specification, 2.3).

import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import bs58 from 'bs58';

/**
 * Derives an address as Solana does for an account that a program owns.
 *
 * @param program base58 address of the attestation program
 * @param holder base58 address of the wallet that holds the attestation
 * @param attestationType 0 to 255, one byte of the seeds
 * @param contextHashHex 64 hex digits (32 bytes)
 * @returns the account's address, base58
 */
export function attestationAddress(
  program: string,
  holder: string,
  attestationType: number,
  contextHashHex: string,
): string {
  const seeds = concatBytes(
    utf8ToBytes('attestation'),
    bs58.decode(holder),
    Uint8Array.of(attestationType),
    hexToBytes(contextHashHex),
  );
  const suffix = concatBytes(bs58.decode(program), utf8ToBytes('ProgramDerivedAddress'));
  // A point on the curve could have a private key, so the first hash that is not one is the address.
  for (let bump = 255; ; bump -= 1) {
    const hash = sha256(concatBytes(seeds, Uint8Array.of(bump), suffix));
    if (!isPoint(hash)) return bs58.encode(hash);
  }
}

function isPoint(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
