// The schema of a successful response (specification, 2.2). Responses are not validated against it at
// run time, which would be slow for thousands of attestations.

import * as z from 'zod';
import { attestationSchema } from '../../records/attestation.ts';
import type { Wallet } from '../../records/wallet.ts';
import { addressSchema } from '../../records/wallet.ts';
import { summarySchema } from './summary.ts';

/** The body of a 200: `wallet` in wallet mode only. */
export const lookupResultSchema = z.object({
  wallet: addressSchema.exactOptional(),
  attestations: z.array(attestationSchema),
  count: z.int().min(0),
  ...summarySchema.shape,
});

export type LookupResult = Readonly<Omit<z.infer<typeof lookupResultSchema>, 'wallet'>> & {
  readonly wallet?: Wallet;
};
