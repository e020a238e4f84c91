// Derives an attestation's on-chain address (specification, 2.3).

import { PublicKey } from '@solana/web3.js';

/**
 * Derives the address of an attestation's account.
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
    Buffer.from('attestation'),
    new PublicKey(holder).toBytes(),
    Uint8Array.of(attestationType),
    Buffer.from(contextHashHex, 'hex'),
  ];
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(program))[0].toBase58();
}
