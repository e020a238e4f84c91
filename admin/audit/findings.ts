// Owns what an audit of the mirror can find: the kinds, and what to do about each.

import type { Attestation } from '../../records/attestation.ts';
import type { Wallet } from '../../records/wallet.ts';

interface KindRow {
  readonly meaning: string;
  /** What the admin does about it, in a few words; docs/operations.md says it in full. */
  readonly remedy: string;
}

/** The closed set of kinds, in the order of the summary. */
export const FINDING_KINDS = {
  address_mismatch: {
    meaning: 'its address is not the one that its wallet, type and context hash derive to',
    remedy: 'correct the field that is wrong, or delete the document',
  },
  missing_on_chain: {
    meaning: 'confirmed here, and no account there',
    remedy: 'delete the document if its issuer revoked it, or have it minted',
  },
  wrong_owner: {
    meaning: 'another program owns the account',
    remedy: 'no attestation is there: treat it as missing, and find out who wrote it',
  },
  ready_to_confirm: {
    meaning: 'pending here, and the account is there',
    remedy: 'set its status to confirmed',
  },
  unreadable: {
    meaning: 'the endpoint leaves the document out',
    remedy: 'correct the field, or delete the document',
  },
} as const satisfies Record<string, KindRow>;

/** The exit statuses of an audit: mirror and chain agree, they do not, it is not known. */
export const AUDIT_STATUS = { agreed: 0, findings: 1, unknown: 3 } as const;

export type FindingKind = keyof typeof FINDING_KINDS;

/** What every finding about a document that could be read tells of it. */
export interface Entry {
  /** Path of the mirrored document. */
  readonly document: string;
  readonly wallet: Wallet;
  readonly attestationType: number;
  readonly contextHashHex: string;
  readonly status: Attestation['status'];
  /** As it is mirrored. */
  readonly onChainAddress: string;
}

/** One finding, as `--json` prints it. */
export type Finding =
  | (Entry & { readonly kind: 'address_mismatch'; readonly derivedAddress: string })
  | (Entry & { readonly kind: 'missing_on_chain' | 'ready_to_confirm' })
  | (Entry & { readonly kind: 'wrong_owner'; readonly owner: string })
  | {
      readonly kind: 'unreadable';
      readonly document: string;
      /** The first field that does not fit, and how. */
      readonly field: string;
      readonly reason: string;
    };

export type Tally = Record<FindingKind, number>;

export const emptyTally = (): Tally => ({
  address_mismatch: 0,
  missing_on_chain: 0,
  wrong_owner: 0,
  ready_to_confirm: 0,
  unreadable: 0,
});

export const sumOf = (tally: Tally): number => Object.values(tally).reduce((a, b) => a + b, 0);
