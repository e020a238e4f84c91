// The contract's examples, which the code generates from the demonstration data.

import { summarize } from '../../functions/src/attestations.ts';
import { ERRORS, type ErrorBody, type ErrorCode } from '../../functions/src/errors.ts';
import type { LookupResult } from '../../functions/src/lookup.ts';
import type { Attestation } from '../../records/attestation.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import {
  DEMONSTRATION as D,
  DEMONSTRATION_ATTESTATIONS,
} from '../../tools/sandbox/demonstrationData.ts';

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
