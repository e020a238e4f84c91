// A mirrored attestation as the mirror stores it. Loads no SDK, so that the contract's examples can use it.

import { attestationAddress } from '../chain/attestationAddress.ts';

/** Stands for the program of a deployment, whose address is a fixed value of it. */
export const DEMONSTRATION_PROGRAM = 'PoHAttestation11111111111111111111111111111';

export interface AttestationFields {
  readonly wallet: string;
  readonly attestationType: number;
  /** 64 hex digits; left out: 32 zero bytes. */
  readonly contextHashHex?: string;
  readonly status?: 'confirmed' | 'pending';
  readonly createdAt?: Date;
}

/** A mirrored attestation as the mirror stores it, under its derived address. */
export function attestationRecord(fields: AttestationFields) {
  const { wallet, attestationType, status = 'confirmed', createdAt = new Date() } = fields;
  const contextHashHex = fields.contextHashHex ?? '0'.repeat(64);
  return {
    wallet,
    attestationType,
    contextHashHex,
    status,
    onChainAddress: attestationAddress(
      DEMONSTRATION_PROGRAM,
      wallet,
      attestationType,
      contextHashHex,
    ),
    createdAt: createdAt,
    syncedAt: new Date(createdAt.getTime() + 2_000),
  };
}
