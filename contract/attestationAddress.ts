// Derives the address of an attestation's account on the chain (specification, 2.3).

import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { PublicKey } from '@solana/web3.js';

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
  const seeds = [
    utf8ToBytes('attestation'),
    new PublicKey(holder).toBytes(),
    Uint8Array.of(attestationType),
    hexToBytes(contextHashHex),
  ];
  const [address] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program));
  return address.toBase58();
}
