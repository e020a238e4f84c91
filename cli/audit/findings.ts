// The kinds of findings of an audit, and what to do about each.

import type { Attestation } from '../../records/attestation.ts';
import type { Wallet } from '../../records/wallet.ts';

interface KindRow {
  /** Printed for a finding without details of its own. */
  readonly meaning?: string;
  /** What the admin does about it, in a few words; docs/audit.md has the details. */
  readonly remedy: string;
  /** What to check when a large share of the documents has this finding. */
  readonly whatToCheck: string;
}

/** The closed set of kinds, in the order of the summary. */
export const FINDING_KINDS = {
  address_mismatch: {
    remedy: 'correct the wrong field, or delete the document',
    whatToCheck: 'check that --program is the program of this deployment',
  },
  missing_on_chain: {
    meaning: 'confirmed in the mirror, but the chain has no account',
    remedy: 'delete the document if its issuer revoked it, or have it minted',
    whatToCheck: 'audit again with another --rpc before you delete anything',
  },
  wrong_owner: {
    remedy: 'this is not an attestation; treat it as missing, and find out who wrote it',
    whatToCheck: 'check that --program is the program of this deployment',
  },
  no_data: {
    meaning: 'the account has no data',
    remedy: 'this is not an attestation; treat it as missing, and find out why it was opened',
    whatToCheck: 'check that --program is the program of this deployment',
  },
  ready_to_confirm: {
    meaning: 'pending in the mirror, but the chain has the account',
    remedy: 'set its status to confirmed',
    whatToCheck: "check that the mirror writer's confirmation step runs",
  },
  pending_too_long: {
    meaning: 'pending for more than a day without an account on the chain',
    remedy: 'have it minted, or delete the document',
    whatToCheck: 'check that attestations are being minted',
  },
  implausible_time: {
    remedy: 'correct the time, since lookups are sorted by it',
    whatToCheck: 'check the clock of the mirror writer',
  },
  unreadable: {
    remedy: 'correct the field, or delete the document',
    whatToCheck: 'check the mirror writer, since lookups omit these documents',
  },
  duplicate: {
    remedy: 'delete the others, since the endpoint returns only the first',
    whatToCheck: 'check the mirror writer, since it gives one attestation several document ids',
  },
  missing_in_mirror: {
    remedy: 'if it is an attestation, have it mirrored',
    whatToCheck: 'check that the mirror writer runs, and whether the mirror has lost documents',
  },
} as const satisfies Record<string, KindRow>;

export type FindingKind = keyof typeof FINDING_KINDS;

/** The exit statuses of an audit. */
export const AUDIT_STATUS = { noFindings: 0, findings: 1, unknown: 3 } as const;

/** The document that a finding is about, if it could be read. */
export interface Entry {
  /** Path of the mirrored document. */
  readonly document: string;
  readonly wallet: Wallet;
  readonly attestationType: number;
  readonly contextHashHex: string;
  readonly status: Attestation['status'];
  /** As stored in the mirror. */
  readonly onChainAddress: string;
}

/** One finding, as `--json` prints it. */
export type Finding =
  | (Entry & { readonly kind: 'address_mismatch'; readonly derivedAddress: string })
  | (Entry & {
      readonly kind: 'missing_on_chain' | 'no_data' | 'ready_to_confirm' | 'pending_too_long';
    })
  /** The reason names the time and says why it cannot be right. */
  | (Entry & { readonly kind: 'implausible_time'; readonly reason: string })
  | (Entry & { readonly kind: 'wrong_owner'; readonly owner: string })
  /** The entry is the document that the endpoint returns; `others` are the paths of its duplicates. */
  | (Entry & { readonly kind: 'duplicate'; readonly others: readonly string[] })
  | {
      readonly kind: 'unreadable';
      readonly document: string;
      /** The first invalid field; `reason` says what is wrong with it. */
      readonly field: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'missing_in_mirror';
      readonly onChainAddress: string;
      /** What is known about the account. */
      readonly reason: string;
    };
