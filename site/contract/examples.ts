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
  DEMONSTRATION as D,
  DEMONSTRATION_ATTESTATIONS,
} from '../../tools/sandbox/demonstrationData.ts';

export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

function exampleAttestation(fields: AttestationFields): Attestation {
  const { createdAt, syncedAt, ...others } = attestationRecord(fields);
  const times = { createdAt: createdAt.toISOString(), syncedAt: syncedAt.toISOString() };
  const parsed = parseAttestation({ ...others, ...times });
  if ('invalidField' in parsed) throw new Error(`the example is not valid: ${parsed.invalidField}`);
  return parsed.attestation;
}

/** What a lookup of the demonstration's wallet returns. */
function resultOf(wallet: string): LookupResult {
  const attestations = DEMONSTRATION_ATTESTATIONS.filter((one) => one.wallet === wallet).map(
    exampleAttestation,
  );
  return { attestations, count: attestations.length, ...summarize(attestations) };
}

const byWallet = (wallet: string) => ({ wallet, ...resultOf(wallet) });

/** A response with one attestation, which fits on a screen. */
export const firstExample = byWallet(D.neverVotedWallet);

/** The bodies of a 200, by name. */
export const lookupExamples = () => ({
  byWallet: { summary: 'By wallet', value: byWallet(D.wallet) },
  byEmailOrToken: { summary: 'By e-mail or token', value: resultOf(D.neverVotedWallet) },
  nobodyAttested: { summary: 'Nobody attested', value: byWallet(D.unattestedWallet) },
});

export const errorExample = (code: ErrorCode): ErrorBody => ({
  error: ERRORS[code].message,
  code,
  requestId: EXAMPLE_REQUEST_ID,
});
