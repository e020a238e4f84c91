// Descriptions of the fields on the wire, in the specification's terms. A field of the code's schemas
// without a description, or a description without a field, fails the type check.

import type { ErrorBody } from '../functions/src/lookup/errors.ts';
import type { Mode } from '../functions/src/lookup/subject.ts';
import type { LookupResult } from '../functions/src/lookup/summary.ts';
import type { Attestation } from '../records/attestation.ts';
import { ATTESTATION_TYPE } from '../records/attestation.ts';
import { TOKEN_LIFETIME } from '../records/verificationToken.ts';

const typeList = Object.entries(ATTESTATION_TYPE)
  .map(([name, value]) => `${value} ${name}`)
  .join(', ');

export const ATTESTATION_TEXTS = {
  attestationType: `The attestation type: ${typeList}. The set has grown before: ignore entries of a type that you do not know.`,
  contextHashHex:
    'What the attestation is about, 32 bytes as 64 hexadecimal characters in lower case. Type 0: all zero bytes. Types 1 and 2: the bytes of the proposal account address. Type 4: the nullifier of the poll vote.',
  status:
    '`confirmed`: on-chain and mirrored. `pending`: minted locally, awaiting chain confirmation; it sets no flag and is in no number but `count`. Treat a status that you do not know as not confirmed.',
  onChainAddress:
    'Address of the attestation account on the chain. It is derived from the holder, the type and the context hash, so that of a type-0 attestation is the same in every lookup of one wallet and differs between wallets.',
  syncedAt:
    'When the service last brought its record in line with the chain: ISO 8601, UTC, with milliseconds.',
  createdAt: 'When the attestation was made: ISO 8601, UTC, with milliseconds.',
} as const satisfies Record<keyof Attestation, string>;

export const LOOKUP_RESULT_TEXTS = {
  wallet:
    'The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode.',
  attestations:
    "The attestations that the subject's wallet holds, pending ones too, ordered by `createdAt`, then `onChainAddress`. Empty for a wallet that nobody has attested.",
  count: 'The length of `attestations`, pending ones included.',
  hasVerifiedHuman:
    'True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating.',
  hasVoted: 'True when at least one attestation of type 1 is confirmed.',
  votedCount: 'Number of confirmed type-1 attestations: one per proposal.',
  hasSupportedProposal: 'True when at least one attestation of type 2 is confirmed.',
  supportedCount: 'Number of confirmed type-2 attestations: one per proposal.',
} as const satisfies Record<keyof LookupResult, string>;

export const ERROR_TEXTS = {
  error: 'One human-readable sentence. Its wording may change.',
  code: 'What programs branch on. A code never changes its meaning; others may be added: treat one that you do not know by its status.',
  requestId: 'The id of the request, as in the header X-Request-Id: name it when you ask for help.',
} as const satisfies Record<keyof ErrorBody, string>;

export const SUBJECT_TEXTS = {
  wallet:
    'Checked first. The wallet as an on-chain address: base58 of 32 bytes. The response repeats it.',
  email:
    "Checked second. An e-mail address: the service resolves the wallet from the identity provider's account. The wallet is not returned.",
  token: `Checked third. A verification token, a UUID that the user generates (action Generate Verification Token) and that lives ${TOKEN_LIFETIME}. The wallet is not returned.`,
} as const satisfies Record<Mode, string>;
