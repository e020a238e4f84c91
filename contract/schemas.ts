// The schemas of the endpoint's parameters and responses, with the descriptions that the contract publishes. The
// function itself does not use them, because zod would slow down cold starts and long responses.

import * as z from 'zod';
import { EMAIL_MAX_LENGTH, type Mode, TOKEN_LIFETIME } from './endpoint.ts';
import { ERROR_CODES, type ErrorBody } from './errors.ts';
import {
  ADDRESS_PATTERN,
  ATTESTATION_TYPES,
  type Attestation,
  type LookupResult,
  TYPE_NUMBERS,
  ZERO_CONTEXT_HASH,
} from './result.ts';

const address = z.string().regex(ADDRESS_PATTERN);
const utcMilliseconds = z.iso.datetime({ precision: 3 });

const types = Object.entries(ATTESTATION_TYPES);
const typeList = types
  .map(([name, { number, meaning }]) => `${number} ${name} (${meaning})`)
  .join(', ');
const contextHashes = types
  .map(([, { number, contextHash }]) => `${number}: ${contextHash}`)
  .join('; ');

/** The valid values of each query parameter (specification, 4.1). */
export const SUBJECT_PARAMETERS = {
  wallet: address.describe(
    'The address of the wallet, base58 of 32 bytes. Takes precedence over `email` and `token`. The response repeats it.',
  ),
  email: z
    .string()
    .max(EMAIL_MAX_LENGTH)
    .describe(
      'An e-mail address. Takes precedence over `token`. The service finds the wallet through the account with this address. The wallet is not returned.',
    ),
  token: z
    .guid()
    .describe(
      `A verification token, which is a UUID that the user generates with "Generate Verification Token". It is valid for ${TOKEN_LIFETIME}. The wallet is not returned.`,
    ),
} as const satisfies Record<Mode, z.ZodType>;

/** Specification, 2.1. */
export const attestationSchema = z
  .object({
    attestationType: z
      .int()
      .min(0)
      .max(Math.max(...TYPE_NUMBERS))
      .describe(
        `The attestation type, and what it says about the holder: ${typeList}. Types have been added before, so ignore entries of a type that you do not know.`,
      ),
    contextHashHex: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe(
        `What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. By type, ${contextHashes}.`,
      ),
    status: z
      .enum(['confirmed', 'pending'])
      .describe(
        '`confirmed` means on the chain and mirrored. `pending` means minted by the operator and awaiting confirmation on the chain. A pending attestation is in `attestations` and `count`, but sets no flag. Treat a status that you do not know as not confirmed.',
      ),
    onChainAddress: address.describe(
      'Address of the attestation account on the chain. It is derived from the holder, the type and the context hash. So the address of a type-0 attestation is the same in every lookup of a wallet, and differs between wallets.',
    ),
    syncedAt: utcMilliseconds.describe(
      "When the mirror's copy of the attestation was last updated from the chain, in ISO 8601, UTC, with milliseconds.",
    ),
    createdAt: utcMilliseconds.describe(
      'When the attestation was made, in ISO 8601, UTC, with milliseconds.',
    ),
  } satisfies Record<keyof Attestation, z.ZodType>)
  .refine((a) => a.attestationType !== 0 || a.contextHashHex === ZERO_CONTEXT_HASH, {
    path: ['contextHashHex'],
  }) satisfies z.ZodType<Attestation>;

/** The body of a 200 (specification, 2.2). Only wallet mode returns `wallet`. */
export const lookupResultSchema = z.object({
  wallet: address
    .exactOptional()
    .describe(
      'The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode.',
    ),
  attestations: z
    .array(attestationSchema)
    .describe(
      "The attestations of the subject's wallet, including pending ones, sorted by `createdAt`, then `onChainAddress`. Empty if the wallet has none.",
    ),
  count: z.int().min(0).describe('The length of `attestations`, including pending ones.'),
  hasVerifiedHuman: z
    .boolean()
    .describe(
      'True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating.',
    ),
  hasVoted: z.boolean().describe('True when at least one attestation of type 1 is confirmed.'),
  votedCount: z.int().min(0).describe('Number of confirmed type-1 attestations, one per proposal.'),
  hasSupportedProposal: z
    .boolean()
    .describe('True when at least one attestation of type 2 is confirmed.'),
  supportedCount: z
    .int()
    .min(0)
    .describe('Number of confirmed type-2 attestations, one per proposal.'),
} satisfies Record<keyof LookupResult, z.ZodType>) satisfies z.ZodType<
  Omit<LookupResult, 'wallet'>
>;

/** The body of every other response (specification, section 7). */
export const errorBodySchema = z.object({
  error: z.string().describe('A message for people. Its wording may change.'),
  code: z
    .enum(ERROR_CODES)
    .describe(
      'Programs should branch on the code. A code never changes its meaning, but new ones may be added. Handle a code that you do not know by its status.',
    ),
  requestId: z
    .string()
    .describe(
      'The id of the request, as in the header X-Request-Id. Include it when you ask for help.',
    ),
} satisfies Record<keyof ErrorBody, z.ZodType>) satisfies z.ZodType<ErrorBody>;
