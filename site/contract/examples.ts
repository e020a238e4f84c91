// The contract's examples, which the code generates from the demonstration data.

import { summarize } from '../../functions/src/attestations.ts';
import { type ErrorBody, type ErrorCode, errorRow } from '../../functions/src/errors.ts';
import type { LookupResult } from '../../functions/src/lookup.ts';
import type { Mode } from '../../functions/src/subject.ts';
import { type Attestation, parseAttestation } from '../../records/attestation.ts';
import { parseWallet } from '../../records/wallet.ts';
import {
  type AttestationFields,
  attestationRecord,
} from '../../tools/sandbox/attestationRecord.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';

export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

export const EXAMPLE_SUBJECTS = {
  wallet: DEMONSTRATION.wallet,
  email: DEMONSTRATION.email,
  token: DEMONSTRATION.token,
} as const satisfies Record<Mode, string>;

const ATTESTATIONS: readonly Omit<AttestationFields, 'wallet'>[] = [
  { attestationType: 0, createdAt: new Date('2026-10-01T12:00:00Z') },
  {
    attestationType: 1,
    contextHashHex: '01'.repeat(32),
    createdAt: new Date('2026-10-02T12:00:00Z'),
  },
  {
    attestationType: 4,
    contextHashHex: '05'.repeat(32),
    status: 'pending',
    createdAt: new Date('2026-10-07T12:00:00Z'),
  },
];

function exampleAttestation(fields: Omit<AttestationFields, 'wallet'>): Attestation {
  const { createdAt, syncedAt, ...others } = attestationRecord({
    wallet: EXAMPLE_SUBJECTS.wallet,
    ...fields,
  });
  const times = { createdAt: createdAt.toISOString(), syncedAt: syncedAt.toISOString() };
  const parsed = parseAttestation({ ...others, ...times });
  if ('invalidField' in parsed) throw new Error(`the example is not valid: ${parsed.invalidField}`);
  return parsed.attestation;
}

function exampleResult(attestations: readonly Attestation[]): LookupResult {
  return {
    attestations: [...attestations],
    count: attestations.length,
    ...summarize(attestations),
  };
}

/** A response with one attestation, which fits on a screen. */
export const firstExample = {
  wallet: EXAMPLE_SUBJECTS.wallet,
  ...exampleResult(ATTESTATIONS.slice(0, 1).map(exampleAttestation)),
};

/** The bodies of a 200, by name. */
export function lookupExamples() {
  const attested = exampleResult(ATTESTATIONS.map(exampleAttestation));
  const wallet = parseWallet(EXAMPLE_SUBJECTS.wallet);
  return {
    byWallet: {
      summary: 'In wallet mode',
      value: { ...(wallet && { wallet }), ...attested },
    },
    byEmailOrToken: {
      summary: 'In e-mail and token mode, without the wallet',
      value: attested,
    },
    nobodyAttested: {
      summary: 'A wallet without attestations',
      value: { ...(wallet && { wallet }), ...exampleResult([]) },
    },
  } satisfies Record<string, { summary: string; value: LookupResult }>;
}

export const errorExample = (code: ErrorCode): ErrorBody => ({
  error: errorRow(code).message,
  code,
  requestId: EXAMPLE_REQUEST_ID,
});
