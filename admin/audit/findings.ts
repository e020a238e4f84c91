// What an audit of the mirror can find: the kinds, and what to do about each.

import type { Attestation } from '../../records/attestation.ts';
import type { Wallet } from '../../records/wallet.ts';

interface KindRow {
  readonly meaning: string;
  /** What the admin does about it, in a few words; docs/audit.md says it in full. */
  readonly remedy: string;
  /** What to look at when a large share of the documents has this finding. */
  readonly suspect: string;
}

/** The closed set of kinds, in the order of the summary. */
export const FINDING_KINDS = {
  address_mismatch: {
    meaning: 'its address is not the one that its wallet, type and context hash derive to',
    remedy: 'correct the field that is wrong, or delete the document',
    suspect: 'check that --program is the program of this deployment',
  },
  missing_on_chain: {
    meaning: 'confirmed here, and no account there',
    remedy: 'delete the document if its issuer revoked it, or have it minted',
    suspect: 'audit again with another --rpc, and delete nothing before',
  },
  wrong_owner: {
    meaning: 'another program owns the account',
    remedy: 'no attestation is there: treat it as missing, and find out who wrote it',
    suspect: 'check that --program is the program of this deployment',
  },
  no_data: {
    meaning: 'the account has no data',
    remedy: 'no attestation is there: treat it as missing, and find out why it was opened',
    suspect: 'check that --program is the program of this deployment',
  },
  ready_to_confirm: {
    meaning: 'pending here, and the account is there',
    remedy: 'set its status to confirmed',
    suspect: "check that the mirror's confirmation step runs",
  },
  pending_too_long: {
    meaning: 'pending for more than a day, and no account there',
    remedy: 'have it minted, or delete the document',
    suspect: 'check that what mints attestations runs',
  },
  implausible_time: {
    meaning: 'a time that cannot be right',
    remedy: 'correct the time: lookups are ordered by it',
    suspect: 'check the clock of what writes the mirror',
  },
  unreadable: {
    meaning: 'the endpoint leaves the document out',
    remedy: 'correct the field, or delete the document',
    suspect: 'check what writes the mirror: the lookups leave these documents out',
  },
  duplicate: {
    meaning: 'several documents of one attestation',
    remedy: 'delete the others: the endpoint returns the first alone',
    suspect: 'check what writes the mirror: it gives one attestation several document ids',
  },
  missing_in_mirror: {
    meaning: 'no document has this account of the program',
    remedy: 'if it is an attestation, have it mirrored',
    suspect: 'check that the mirror runs, and whether it has lost documents',
  },
} as const satisfies Record<string, KindRow>;

/** The exit statuses of an audit: mirror and chain agree, they do not, it is not known. */
export const AUDIT_STATUS = { agreed: 0, findings: 1, unknown: 3 } as const;

export type FindingKind = keyof typeof FINDING_KINDS;

/** What every finding about a document that could be read says of it. */
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
  | (Entry & {
      readonly kind: 'missing_on_chain' | 'no_data' | 'ready_to_confirm' | 'pending_too_long';
    })
  /** The reason names the time, and why it cannot be right. */
  | (Entry & { readonly kind: 'implausible_time'; readonly reason: string })
  | (Entry & { readonly kind: 'wrong_owner'; readonly owner: string })
  /** The entry is the one that the endpoint returns; the others are paths of documents. */
  | (Entry & { readonly kind: 'duplicate'; readonly others: readonly string[] })
  | {
      readonly kind: 'unreadable';
      readonly document: string;
      /** The first field that does not fit, and how. */
      readonly field: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'missing_in_mirror';
      readonly onChainAddress: string;
      /** What is known of the account, and what is not. */
      readonly reason: string;
    };

/** The number of findings of each kind; null for one that was not checked. */
export type Tally = Record<Exclude<FindingKind, 'missing_in_mirror'>, number> & {
  missing_in_mirror: number | null;
};

export const emptyTally = (bothWays: boolean): Tally => ({
  address_mismatch: 0,
  missing_on_chain: 0,
  wrong_owner: 0,
  no_data: 0,
  ready_to_confirm: 0,
  pending_too_long: 0,
  implausible_time: 0,
  unreadable: 0,
  duplicate: 0,
  missing_in_mirror: bothWays ? 0 : null,
});

export function countInto(tally: Tally, { kind }: Finding): void {
  tally[kind] = (tally[kind] ?? 0) + 1;
}

export const sumOf = (tally: Tally): number =>
  Object.values(tally).reduce<number>((sum, count) => sum + (count ?? 0), 0);
