// The kinds of findings of an audit. docs/runbook.md says what each means, and what to do about it.

import type { Attestation } from '../../contract/result.ts';
import type { Wallet } from '../../records/wallet.ts';

/** The closed set of kinds, in the order of the summary, with what to check if many documents have the same one. */
export const FINDING_KINDS = {
  address_mismatch: 'check that --program is the program of this deployment',
  missing_on_chain: 'audit again with another --rpc before you delete anything',
  wrong_owner: 'check that --program is the program of this deployment',
  no_data: 'check that --program is the program of this deployment',
  ready_to_confirm: "check that the mirror writer's confirmation step runs",
  pending_too_long: 'check that attestations are being minted',
  implausible_time: 'check the clock of the mirror writer',
  unreadable: 'check the mirror writer, since lookups omit these documents',
  duplicate: 'check the mirror writer, since it gives one attestation several document ids',
  missing_in_mirror: 'check that the mirror writer runs, and whether the mirror has lost documents',
} as const;

export type FindingKind = keyof typeof FINDING_KINDS;

/** One finding, as `--json` prints it. Its attestation is that of the document, if the document could be read. */
export interface Finding extends Readonly<Partial<Attestation>> {
  readonly kind: FindingKind;
  /** The path of the mirrored document; undefined for an account without one. */
  readonly document?: string;
  readonly wallet?: Wallet;
  /** What is wrong, in a few words. */
  readonly reason: string;
  /** Of an `address_mismatch`, the address that the document's other fields derive. */
  readonly derivedAddress?: string;
}
