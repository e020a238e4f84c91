// Documents that tests plant for the audit. They have every form of each finding.

import type { Firestore } from 'firebase-admin/firestore';
import type { FindingKind } from '../../cli/audit/findings.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import { DEMONSTRATION_PROGRAM } from '../../contract/examples.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import type { TestChain } from '../../tools/sandbox/testChain.ts';
import { randomAddress } from '../support/random.ts';
import { randomRecord } from './mirror.ts';

/** Owns each account that has only lamports. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

type Stored = Record<string, unknown>;

interface Plant {
  readonly title: string;
  readonly kind: FindingKind;
  /** Changes to the record. */
  readonly change?: (chain: TestChain) => Stored;
  readonly status?: 'confirmed' | 'pending';
  /** Changes to the record for further documents of the same attestation. */
  readonly copies?: readonly Stored[];
  /** Owner of the account at the derived address, by default the program; null if there is no account. */
  readonly owner?: string | null;
  /** The length of that account's data. */
  readonly bytes?: number;
}

const PLANTS: readonly Plant[] = [
  {
    title: 'the address of another wallet, which has an account',
    kind: 'address_mismatch',
    change: (chain) => {
      const { onChainAddress } = randomRecord();
      chain.setAccount(onChainAddress, DEMONSTRATION_PROGRAM);
      return { onChainAddress };
    },
  },
  { title: 'revoked by its issuer', kind: 'missing_on_chain', owner: null },
  {
    title: 'revoked by its issuer, after which somebody sent lamports to its address',
    kind: 'missing_on_chain',
    owner: SYSTEM_PROGRAM,
    bytes: 0,
  },
  { title: 'an account of another program', kind: 'wrong_owner', owner: randomAddress() },
  {
    title: 'pending, with an account of another program',
    kind: 'wrong_owner',
    status: 'pending',
    owner: randomAddress(),
  },
  { title: 'pending, and minted', kind: 'ready_to_confirm', status: 'pending' },
  { title: 'an unknown type', kind: 'unreadable', change: () => ({ attestationType: 9 }) },
  { title: 'no address', kind: 'unreadable', change: () => ({ onChainAddress: null }) },
  { title: 'a number as time', kind: 'unreadable', change: () => ({ syncedAt: 1_700_000_000 }) },
  {
    title: 'written twice',
    kind: 'duplicate',
    change: () => ({ note: 'an older one' }),
    copies: [{ syncedAt: new Date() }],
  },
  {
    title: 'written twice, with one copy that the endpoint omits',
    kind: 'unreadable',
    change: () => ({ status: 'minted' }),
    copies: [{}],
  },
  {
    title: 'pending since yesterday, and not minted',
    kind: 'pending_too_long',
    status: 'pending',
    owner: null,
  },
  {
    title: 'synced ten years in the future',
    kind: 'implausible_time',
    change: () => ({ syncedAt: new Date(Date.now() + 3_650 * DAY_MS) }),
  },
  { title: 'an account without data', kind: 'no_data', bytes: 0 },
];

export interface Planted {
  /** Undefined for an account without a document. */
  readonly document?: string;
  readonly kind: FindingKind;
}

/** The number of accounts that no planted document names. One document has a wrong address, and one has none. */
export const PLANTED_UNMIRRORED = 2;

/** Writes every plant with yesterday's date. @returns the expected findings, in any order */
export async function plantFindings(db: Firestore, chain: TestChain): Promise<Planted[]> {
  const written = PLANTS.map(async (plant) => {
    const { kind, change, copies = [], status = 'confirmed', bytes } = plant;
    const { owner = DEMONSTRATION_PROGRAM } = plant;
    const record = randomRecord({ status, createdAt: new Date(Date.now() - DAY_MS) });
    chain.setAccount(record.onChainAddress, owner, bytes);
    const paths = [change?.(chain), ...copies].map(async (changes) => {
      const reference = db.collection(COLLECTIONS.attestations).doc();
      await reference.set({ ...record, ...changes });
      return reference.path;
    });
    const [document = ''] = await Promise.all(paths);
    return { document, kind };
  });
  return await Promise.all(written);
}
