// Builds the stored record of a mirrored attestation. It must not import an SDK, because the contract's
// examples use it.

import { type Attestation, ZERO_CONTEXT_HASH } from '../../records/attestation.ts';
import { attestationAddress } from '../../records/attestationAddress.ts';

/** The address of the sandbox's attestation program. Each deployment has its own program. */
export const DEMONSTRATION_PROGRAM = 'PoHAttestation11111111111111111111111111111';

export interface AttestationFields {
  readonly wallet: string;
  readonly attestationType: number;
  /** 64 hex digits; 32 zero bytes by default. */
  readonly contextHashHex?: string;
  readonly status?: 'confirmed' | 'pending';
  readonly createdAt?: Date;
}

/** @returns the stored record of an attestation, with its derived on-chain address */
export function attestationRecord(fields: AttestationFields) {
  const { wallet, attestationType, status = 'confirmed', createdAt = new Date() } = fields;
  const contextHashHex = fields.contextHashHex ?? ZERO_CONTEXT_HASH;
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
    syncedAt: new Date(createdAt.getTime() + 2_000),
    createdAt,
  } satisfies { wallet: string } & { [Name in keyof Attestation]: unknown };
}
