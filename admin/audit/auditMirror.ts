// The steps of an audit, in order: check the node, compare each document with the chain, find duplicate
// documents, and find accounts without a document. It changes nothing.

import type { Firestore } from 'firebase-admin/firestore';
import { ADDRESS_PATTERN, type Wallet } from '../../records/wallet.ts';
import { accountsReader, readProgramAccounts } from '../chain/accounts.ts';
import type { Node, RequestCounts } from '../chain/rpc.ts';
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
import { checkNode, type NodeScope } from './node.ts';

const UNKNOWN_DATA =
  'an account of the program; its data was not decoded, so it may not be an attestation';
const NO_DATA = 'an account of the program without data, so it is not an attestation';

export interface AuditScope extends NodeScope {
  readonly wallet?: Wallet;
  /** Whether to also find accounts without a document. */
  readonly bothWays?: boolean;
  readonly allowEmpty?: boolean;
}

/** The progress of an audit. */
export interface AuditState extends RequestCounts {
  documents: number;
  /** The number of documents when the audit began. */
  total: number;
  /** The number of accounts of the program; null if they were not requested. */
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
 * Audits the mirror in batches.
 *
 * @param state updated as the audit proceeds; the caller sets `total`
 * @returns the findings of each batch as soon as they are known; a batch may have none
 * @throws ChainError, AuditRefusal or an error of Firestore; findings that were already yielded remain valid
 */
export async function* auditMirror(
  db: Firestore,
  scope: AuditScope,
  node: Node,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  for await (const findings of auditSteps(db, scope, node, state)) {
    for (const finding of findings) countInto(state.findings, finding);
    yield findings;
  }
}

async function* auditSteps(
  db: Firestore,
  scope: AuditScope,
  node: Node,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  const { program, wallet, bothWays, allowEmpty } = scope;
  await checkNode(node, scope);
  const readAccounts = accountsReader(node, 'confirmed');
  if (!allowEmpty && (await isEmpty(db))) throw emptyMirror();
  // Read before the documents, so that an account mirrored during the audit is not reported as missing.
  const unmirrored = bothWays ? await readProgramAccounts(node, program) : new Set<string>();
  if (bothWays) state.accounts = unmirrored.size;

  const query = mirrorQuery(db, wallet);
  const addresses = new RepeatedAddresses();
  for await (const batch of compareMirror(readPages(query), scope, readAccounts)) {
    for (const address of addressesOf(batch.documents)) {
      addresses.add(address);
      unmirrored.delete(address);
    }
    state.documents += batch.documents.length;
    yield batch.findings;
  }
  for (const batch of batchesOf(addresses.repeated())) {
    const documents = await readAt(db, batch);
    yield findDuplicates(documents.filter(({ fields }) => !wallet || fields['wallet'] === wallet));
  }
  for (const batch of batchesOf([...unmirrored])) {
    // Read both again, because the account may have been mirrored or closed since.
    const mirrored = new Set(addressesOf(await readAt(db, batch)));
    const accounts = await readAccounts(batch);
    yield batch.flatMap((onChainAddress, index) => {
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

function* batchesOf(addresses: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_QUERY) {
    yield addresses.slice(start, start + ADDRESSES_PER_QUERY);
  }
}
