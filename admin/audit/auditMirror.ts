// The steps of an audit, in their order: whether it makes sense at all, each document against the
// chain, documents of one attestation, and the chain against the documents. It changes nothing.

import type { Firestore } from 'firebase-admin/firestore';
import { ADDRESS_PATTERN, type Wallet } from '../../records/wallet.ts';
import {
  type ChainRequests,
  checkNode,
  type NodeScope,
  type RequestCounts,
} from './chainRequests.ts';
import { compareMirror } from './compare.ts';
import { emptyMirror } from './failures.ts';
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

const UNKNOWN_DATA =
  'an account of the program; what its data says was not read, so it may not be an attestation';
const NO_DATA = 'an account of the program without data, so it is not an attestation';

export interface AuditScope extends NodeScope {
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
  slot: null,
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
  scope: AuditScope,
  chain: ChainRequests,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  const { program, wallet, bothWays, allowEmpty } = scope;
  await checkNode(scope, chain, state);
  const readAccounts = chain.readAccounts('confirmed');
  if (!allowEmpty && (await isEmpty(db))) throw emptyMirror();
  // Before the documents: one that is mirrored meanwhile is in both, or is looked up below.
  const unmirrored = bothWays ? await chain.readProgramAccounts(program) : new Set<string>();
  if (bothWays) state.accounts = unmirrored.size;

  const query = mirrorQuery(db, wallet);
  const addresses = new RepeatedAddresses();
  for await (const part of compareMirror(readPages(query), scope, readAccounts)) {
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
    const accounts = await readAccounts(part);
    yield part.flatMap((onChainAddress, index) => {
      const account = accounts[index];
      if (account?.owner !== program || mirrored.has(onChainAddress)) return [];
      const reason = account.data.length === 0 ? NO_DATA : UNKNOWN_DATA;
      return [{ kind: 'missing_in_mirror', onChainAddress, reason }];
    });
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
