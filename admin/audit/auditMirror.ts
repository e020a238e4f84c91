// The steps of an audit, in their order: whether it makes sense at all, each document against the
// chain, documents of one attestation, and the chain against the documents. It changes nothing.

import type { Firestore } from 'firebase-admin/firestore';
import type { Commitment, ReadOwners } from '../../chain/accounts.ts';
import { ADDRESS_PATTERN, type Wallet } from '../../records/wallet.ts';
import { compareMirror } from './compare.ts';
import { emptyMirror, noProgram } from './failures.ts';
import { countInto, emptyTally, type Finding, type Tally } from './findings.ts';
import {
  ADDRESSES_PER_QUERY,
  findDuplicates,
  isEmpty,
  type MirrorDocument,
  mirrorQuery,
  RepeatedAddresses,
  readAt,
  readPages,
} from './mirror.ts';

const NOT_READ = 'an account of the program; its data was not read, so it may be no attestation';

/** The requests that an audit and a repair make to the chain. */
export interface ChainRequests {
  /** Host and port of the RPC endpoint: the rest of its address often contains its key. */
  readonly host: string;
  readonly readOwners: (commitment: Commitment) => ReadOwners;
  /** @throws ChainError */
  readonly readProgramAccounts: (program: string) => Promise<Set<string>>;
}

/** How many requests were sent, and how many of them again. */
export interface RequestCounts {
  requests: number;
  repetitions: number;
}

export interface AuditScope {
  /** Address of the attestation program, base58. */
  readonly program: string;
  readonly wallet?: Wallet;
  /** Whether accounts are looked for that no document has. */
  readonly bothWays?: boolean;
  readonly allowEmpty?: boolean;
}

/** The progress of an audit. */
export interface AuditState extends RequestCounts {
  documents: number;
  /** The documents there were when it began. */
  total: number;
  /** The accounts of the program; null when they were not requested. */
  accounts: number | null;
  readonly findings: Tally;
}

export const newState = ({ bothWays = false }: AuditScope): AuditState => ({
  documents: 0,
  total: 0,
  accounts: null,
  findings: emptyTally(bothWays),
  requests: 0,
  repetitions: 0,
});

/**
 * Audits the mirror part by part.
 *
 * @param state updated as the audit proceeds; `total` is the caller's
 * @returns the findings of each part, as they are made; a part may have none
 * @throws ChainError, AuditRefusal, or whatever Firestore throws; what was yielded before remains valid
 */
export async function* auditMirror(
  db: Firestore,
  scope: AuditScope,
  chain: ChainRequests,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  for await (const findings of steps(db, scope, chain, state)) {
    for (const finding of findings) countInto(state.findings, finding);
    yield findings;
  }
}

async function* steps(
  db: Firestore,
  { program, wallet, bothWays, allowEmpty }: AuditScope,
  chain: ChainRequests,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  const readOwners = chain.readOwners('confirmed');
  // On another cluster, or under another address, every single document would be a finding.
  if ((await readOwners([program]))[0] === null) throw noProgram(program, chain.host);
  if (!allowEmpty && (await isEmpty(db))) throw emptyMirror();
  // Before the documents: one that is mirrored meanwhile is in both, or is looked up below.
  const unmirrored = bothWays ? await chain.readProgramAccounts(program) : new Set<string>();
  if (bothWays) state.accounts = unmirrored.size;

  const query = mirrorQuery(db, wallet);
  const addresses = new RepeatedAddresses();
  for await (const part of compareMirror(readPages(query), program, readOwners)) {
    for (const address of addressesOf(part.documents)) {
      addresses.add(address);
      unmirrored.delete(address);
    }
    state.documents += part.documents.length;
    yield part.findings;
  }
  for (const part of partsOf(addresses.repeated())) {
    const documents = await readAt(db, part);
    yield findDuplicates(documents.filter(({ fields }) => !wallet || fields['wallet'] === wallet));
  }
  for (const part of partsOf([...unmirrored])) {
    // Both are read again: since then it may have been mirrored, or closed.
    const mirrored = new Set(addressesOf(await readAt(db, part)));
    const owners = await readOwners(part);
    yield part
      .filter((address, index) => owners[index] === program && !mirrored.has(address))
      .map((onChainAddress) => ({ kind: 'missing_in_mirror', onChainAddress, reason: NOT_READ }));
  }
}

const addressesOf = (documents: readonly MirrorDocument[]): string[] =>
  documents.flatMap(({ fields: { onChainAddress } }) =>
    typeof onChainAddress === 'string' && ADDRESS_PATTERN.test(onChainAddress)
      ? [onChainAddress]
      : [],
  );

function* partsOf(addresses: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_QUERY) {
    yield addresses.slice(start, start + ADDRESSES_PER_QUERY);
  }
}
