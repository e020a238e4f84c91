// The contract's examples, which the code generates from the demonstration data.

import { summarize } from '../../functions/src/attestations.ts';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../functions/src/errors.ts';
import type { LookupResult } from '../../functions/src/lookup.ts';
import { type Attestation, parseAttestation } from '../../records/attestation.ts';
import {
  type AttestationFields,
  attestationRecord,
} from '../../tools/sandbox/attestationRecord.ts';
import {
  DEMONSTRATION,
  DEMONSTRATION_ATTESTATIONS,
} from '../../tools/sandbox/demonstrationData.ts';

export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Three of the demonstration's attestations, the last of them as if it were pending. */
const [human, vote, , , , , pollVote] = DEMONSTRATION_ATTESTATIONS;
const ATTESTATIONS = [human, vote, pollVote && { ...pollVote, status: 'pending' as const }].filter(
  (fields) => fields !== undefined,
);

function exampleAttestation(fields: AttestationFields): Attestation {
  const { createdAt, syncedAt, ...others } = attestationRecord(fields);
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

const { wallet } = DEMONSTRATION;

/** A response with one attestation, which fits on a screen. */
export const firstExample = {
  wallet,
  ...exampleResult(ATTESTATIONS.slice(0, 1).map(exampleAttestation)),
};

/** The bodies of a 200, by name. */
export function lookupExamples() {
  const attested = exampleResult(ATTESTATIONS.map(exampleAttestation));
  return {
    byWallet: { summary: 'By wallet', value: { wallet, ...attested } },
    byEmailOrToken: { summary: 'By e-mail or token', value: attested },
    nobodyAttested: { summary: 'Nobody attested', value: { wallet, ...exampleResult([]) } },
  };
}

export const errorExample = (code: ErrorCode): ErrorBody => ({
  error: ERRORS[code].message,
  code,
  requestId: EXAMPLE_REQUEST_ID,
});
