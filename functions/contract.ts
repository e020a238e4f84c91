// The schemas of the endpoint's parameters and responses. The function itself does not use them,
// because zod would slow down cold starts and long responses.

import * as z from 'zod';
import { type Attestation, ZERO_CONTEXT_HASH } from '../records/attestation.ts';
import { ADDRESS_PATTERN } from '../records/wallet.ts';
import { ERROR_CODES, type ErrorBody } from './src/lookup/errors.ts';
import { EMAIL_MAX_LENGTH, type Mode } from './src/lookup/subject.ts';
import type { LookupResult, Summary } from './src/lookup/summary.ts';

const address = z.string().regex(ADDRESS_PATTERN);
const utcMilliseconds = z.iso.datetime({ precision: 3 });

/** The valid values of each query parameter (specification, 4.1). */
export const SUBJECT_PARAMETERS = {
  wallet: address,
  email: z.string().max(EMAIL_MAX_LENGTH),
  token: z.guid(),
} as const satisfies Record<Mode, z.ZodType>;

/** Specification, 2.1. */
export const attestationSchema = z
  .object({
    attestationType: z.int().min(0).max(4),
    contextHashHex: z.string().regex(/^[0-9a-f]{64}$/),
    status: z.enum(['confirmed', 'pending']),
    onChainAddress: address,
    syncedAt: utcMilliseconds,
    createdAt: utcMilliseconds,
  } satisfies Record<keyof Attestation, z.ZodType>)
  .refine((a) => a.attestationType !== 0 || a.contextHashHex === ZERO_CONTEXT_HASH, {
    path: ['contextHashHex'],
  }) satisfies z.ZodType<Attestation>;

const summaryFields = {
  hasVerifiedHuman: z.boolean(),
  hasVoted: z.boolean(),
  votedCount: z.int().min(0),
  hasSupportedProposal: z.boolean(),
  supportedCount: z.int().min(0),
} satisfies Record<keyof Summary, z.ZodType>;

/** The body of a 200 (specification, 2.2). Only wallet mode returns `wallet`. */
export const lookupResultSchema = z.object({
  wallet: address.exactOptional(),
  attestations: z.array(attestationSchema),
  count: z.int().min(0),
  ...summaryFields,
} satisfies Record<keyof LookupResult, z.ZodType>) satisfies z.ZodType<
  Omit<LookupResult, 'wallet'>
>;

/** The body of every other response (specification, section 7). */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.enum(ERROR_CODES),
  requestId: z.string(),
} satisfies Record<keyof ErrorBody, z.ZodType>) satisfies z.ZodType<ErrorBody>;
