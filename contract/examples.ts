// The demonstration's people and their attestations, and the contract's examples, which follow from them. Opens no
// connections, and imports no SDK.

import { attestationAddress } from './attestationAddress.ts';
import { ERRORS, type ErrorBody, type ErrorCode } from './errors.ts';
import { type Attestation, type LookupResult, summarize, ZERO_CONTEXT_HASH } from './result.ts';

export const DEMONSTRATION = {
  key: 'demonstration-key',
  /** The project of the key, for which the token is made. */
  project: 'Demonstration DAO',
  revokedKey: 'revoked-demonstration-key',
  /** Has attestations of every type and of both statuses. */
  wallet: 'CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2',
  email: 'alice@example.com',
  /** Can sign in to the identity-proof area, but has no wallet yet. */
  walletlessEmail: 'bob@example.com',
  /** Manages keys in the admin area. */
  adminEmail: 'admin@example.com',
  /** The password of all three accounts. */
  password: 'demonstration',
  /** Has only a pending humanity attestation, so no flag is set. */
  pendingWallet: 'GxZqmfmsohLD3pXvJUGYPdXi6fhWSENuJ1UQKgpYpyCH',
  token: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01',
  revokedToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e02',
  expiredToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e03',
  otherProjectsToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e06',
  unknownToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e04',
  /** A verified human who never voted. */
  neverVotedWallet: '9hK7ATtfBTcLrCwLxPsG8eWUALfeHswqB9HqMeVa5FdP',
  neverVotedEmail: 'carol@example.com',
  /** Has no attestations. */
  unattestedWallet: '64tAipZdvxYEJ56UgZriuDnQaCrWbutJQZh2MBEuHWKW',
  unattestedEmail: 'dan@example.com',
  /** A verified human whose account was disabled after a token was created. */
  disabledWallet: 'BemHqgC6zD8WGfe1qEX5ZVeTKu9nqgMkW7ytwC2gAZ2Y',
  disabledEmail: 'erin@example.com',
  disabledToken: '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e05',
  /** The bytes of the address of the first vote's proposal account. */
  proposal: '01'.repeat(32),
  /** The same of the pending vote. */
  pendingProposal: '03'.repeat(32),
  /** The nullifier hash of the poll vote. */
  nullifierHash: '05'.repeat(32),
} as const;

const { wallet, pendingWallet, neverVotedWallet, disabledWallet } = DEMONSTRATION;

const ATTESTED: readonly AttestationFields[] = [
  { wallet, attestationType: 0 },
  { wallet, attestationType: 1, contextHashHex: DEMONSTRATION.proposal },
  { wallet, attestationType: 1, contextHashHex: '02'.repeat(32) },
  { wallet, attestationType: 1, contextHashHex: DEMONSTRATION.pendingProposal, status: 'pending' },
  { wallet, attestationType: 2, contextHashHex: DEMONSTRATION.proposal },
  { wallet, attestationType: 3, contextHashHex: '04'.repeat(32) },
  { wallet, attestationType: 4, contextHashHex: DEMONSTRATION.nullifierHash },
  { wallet: pendingWallet, attestationType: 0, status: 'pending' },
  { wallet: neverVotedWallet, attestationType: 0 },
  { wallet: disabledWallet, attestationType: 0 },
];

/** The mirrored attestations of every wallet, each made a day after the one before. */
export const DEMONSTRATION_ATTESTATIONS: readonly AttestationFields[] = ATTESTED.map(
  (fields, index) => ({ ...fields, createdAt: new Date(Date.UTC(2026, 9, 1 + index, 12)) }),
);

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

export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** What a lookup of the demonstration's wallet returns. */
function resultOf(holder: string): LookupResult {
  const records = DEMONSTRATION_ATTESTATIONS.filter(({ wallet }) => wallet === holder);
  // JSON has times as text, in the format of a response.
  const stored: (Attestation & { wallet: string })[] = JSON.parse(
    JSON.stringify(records.map(attestationRecord)),
  );
  const attestations = stored.map(({ wallet: _, ...attestation }) => attestation);
  return { attestations, count: attestations.length, ...summarize(attestations) };
}

const byWallet = (wallet: string) => ({ wallet, ...resultOf(wallet) });

/** A response with one attestation, which fits on a screen. */
export const firstExample = byWallet(DEMONSTRATION.neverVotedWallet);

/** The bodies of a 200, by name. */
export const lookupExamples = () => ({
  byWallet: { summary: 'By wallet', value: byWallet(DEMONSTRATION.wallet) },
  byEmailOrToken: {
    summary: 'By e-mail or token',
    value: resultOf(DEMONSTRATION.neverVotedWallet),
  },
  nobodyAttested: { summary: 'Nobody attested', value: byWallet(DEMONSTRATION.unattestedWallet) },
});

export const errorExample = (code: ErrorCode): ErrorBody => ({
  error: ERRORS[code].message,
  code,
  requestId: EXAMPLE_REQUEST_ID,
});
