// The body of a successful response (specification, 2.2).

import type { Attestation } from '../../records/attestation.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { Summary } from './summary.ts';

export interface LookupResult extends Summary {
  /** In wallet mode only. */
  readonly wallet?: Wallet;
  readonly attestations: readonly Attestation[];
  readonly count: number;
}
