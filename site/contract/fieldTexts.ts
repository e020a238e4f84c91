// Describes the fields of requests and responses in the specification's terms. A field without a
// description, or a description without a field, fails the type check.

import type { ErrorBody } from '../../functions/src/lookup/errors.ts';
import type { Mode } from '../../functions/src/lookup/subject.ts';
import type { LookupResult } from '../../functions/src/lookup/summary.ts';
import type { Attestation } from '../../records/attestation.ts';
import { ATTESTATION_TYPE } from '../../records/attestation.ts';
import { TOKEN_LIFETIME } from '../../records/verificationToken.ts';

const typeList = Object.entries(ATTESTATION_TYPE)
  .map(([name, value]) => `${value} ${name}`)
  .join(', ');

export const ATTESTATION_TEXTS = {
  attestationType: `The attestation type: ${typeList}. Types have been added before, so ignore entries of a type that you do not know.`,
  contextHashHex:
    'What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. For type 0 they are all zero, for types 1 and 2 they are the proposal account address, and for type 4 they are the nullifier of the poll vote.',
  status:
    '`confirmed` means on the chain and mirrored. `pending` means minted by the platform and awaiting confirmation on the chain. A pending attestation sets no flag, and only `count` includes it. Treat a status that you do not know as not confirmed.',
  onChainAddress:
    'Address of the attestation account on the chain. It is derived from the holder, the type and the context hash. So the address of a type-0 attestation is the same in every lookup of a wallet, and differs between wallets.',
  syncedAt:
    'When the service last updated its record from the chain, in ISO 8601, UTC, with milliseconds.',
  createdAt: 'When the attestation was made, in ISO 8601, UTC, with milliseconds.',
} as const satisfies Record<keyof Attestation, string>;

export const LOOKUP_RESULT_TEXTS = {
  wallet:
    'The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode.',
  attestations:
    "The attestations of the subject's wallet, including pending ones, sorted by `createdAt`, then `onChainAddress`. Empty if the wallet has none.",
  count: 'The length of `attestations`, including pending ones.',
  hasVerifiedHuman:
    'True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating.',
  hasVoted: 'True when at least one attestation of type 1 is confirmed.',
  votedCount: 'Number of confirmed type-1 attestations, one per proposal.',
  hasSupportedProposal: 'True when at least one attestation of type 2 is confirmed.',
  supportedCount: 'Number of confirmed type-2 attestations, one per proposal.',
} as const satisfies Record<keyof LookupResult, string>;

export const ERROR_TEXTS = {
  error: 'A message for people. Its wording may change.',
  code: 'Programs should branch on the code. A code never changes its meaning, but new ones may be added. Handle a code that you do not know by its status.',
  requestId:
    'The id of the request, as in the header X-Request-Id. Include it when you ask for help.',
} as const satisfies Record<keyof ErrorBody, string>;

export const SUBJECT_TEXTS = {
  wallet:
    'The address of the wallet, base58 of 32 bytes. Takes precedence over `email` and `token`. The response repeats it.',
  email:
    "An e-mail address. Takes precedence over `token`. The service finds the wallet through the platform's account with this address, and does not return it.",
  token: `A verification token, which is a UUID that the user generates with "Generate Verification Token". It is valid for ${TOKEN_LIFETIME}. The wallet is not returned.`,
} as const satisfies Record<Mode, string>;
