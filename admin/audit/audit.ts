// The steps of an audit, in order: check the node, list the program's accounts, compare each document with the
// chain, find duplicate documents, and find accounts without a document. It changes nothing.

import type { Firestore } from 'firebase-admin/firestore';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import {
  ACCOUNTS_PER_REQUEST,
  readAccounts,
  readFinalized,
  readGenesisHash,
  readProgramAccounts,
} from '../chain/accounts.ts';
import { CLUSTERS, type Node, type RequestCounts } from '../chain/rpc.ts';
import { currentRun } from '../frame/run.ts';
import { Failure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { formatCount } from '../terminal/table.ts';
import { type ComparedScope, compareDocuments, findDuplicates } from './compare.ts';
import { FINDING_KINDS, type Finding, sumOf, type Tally } from './findings.ts';
import { ADDRESSES_PER_QUERY, addressesOf, mirrorQuery, readAt, readPages } from './mirror.ts';

/** The audit refuses a node that is further behind. */
const NODE_AGE_MAX_MS = 5 * 60 * 1000;

const UNKNOWN_DATA =
  'an account of the program; its data was not decoded, so it may not be an attestation';
const NO_DATA = 'an account of the program without data, so it is not an attestation';

export interface AuditScope extends ComparedScope {
  readonly rpc: URL;
  /** Genesis hash of the cluster that the program is on. */
  readonly cluster: string;
  readonly wallet?: Wallet;
  /** Whether to also find accounts without a document, if the node can list the program's accounts. */
  readonly bothWays?: boolean;
  readonly allowEmpty?: boolean;
}

/** The progress of an audit. */
export interface AuditState extends RequestCounts {
  documents: number;
  /** The number of documents when the audit began. */
  total: number;
  /** The number of accounts of the program; null if they were not listed. */
  accounts: number | null;
  /** The latest `syncedAt`, in milliseconds since the epoch; 0 if there is none. */
  syncedMs: number;
  readonly findings: Tally;
}

export const newState = (): AuditState => ({
  documents: 0,
  total: 0,
  accounts: null,
  syncedMs: 0,
  // Accounts without a document are searched for only on request.
  findings: {
    ...Object.fromEntries(Object.keys(FINDING_KINDS).map((kind) => [kind, 0])),
    missing_in_mirror: null,
  },
  slot: null,
  requests: 0,
  repetitions: 0,
});

/** A sentence about the progress of an audit. */
export const auditProgressText = ({ documents, total }: AuditState): string =>
  `Audited: ${formatCount(documents)} of ${formatCount(total)} documents.`;

/**
 * Audits the mirror in batches, and shows the progress.
 *
 * @param state updated as the audit proceeds
 * @returns the findings of each batch as soon as they are known; a batch may have none
 * @throws Failure or an error of Firestore; findings that were already yielded remain valid
 */
export async function* auditMirror(
  db: Firestore,
  scope: AuditScope,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  state.total = (await mirrorQuery(db, scope.wallet).count().get()).data().count;
  using progress = startProgress(state.total, 'documents audited', currentRun().stderr);
  const node = { url: scope.rpc, counts: state, note: progress.note };
  for await (const findings of auditSteps(db, scope, node, state)) {
    for (const { kind } of findings) state.findings[kind] = (state.findings[kind] ?? 0) + 1;
    yield findings;
    progress.report(state.documents, `findings: ${formatCount(sumOf(state.findings))}`);
  }
}

async function* auditSteps(
  db: Firestore,
  scope: AuditScope,
  node: Node,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  await checkNode(node, scope);
  if (!scope.allowEmpty && (await mirrorQuery(db).select().limit(1).get()).empty) {
    throw new Failure(
      'The mirror has no documents at all. Check --firebase-project, and whether the mirror was lost. ' +
        'Add --allow-empty if it is meant to be empty.',
      { code: 'empty_mirror' },
    );
  }
  // Listed before the documents are read, so that an account mirrored during the audit is not reported as missing.
  const unmirrored = await listAccounts(node, scope, state);
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for await (const page of readPages(mirrorQuery(db, scope.wallet))) {
    for (const batch of batchesOf(page, ACCOUNTS_PER_REQUEST)) {
      for (const address of addressesOf(batch)) {
        (seen.has(address) ? repeated : seen).add(address);
        unmirrored.delete(address);
      }
      const { findings, syncedMs } = await compareDocuments(batch, scope, (addresses) =>
        readAccounts(node, addresses),
      );
      state.syncedMs = Math.max(state.syncedMs, syncedMs);
      state.documents += batch.length;
      yield findings;
    }
  }
  for (const batch of batchesOf([...repeated], ADDRESSES_PER_QUERY)) {
    const { wallet } = scope;
    const documents = await readAt(db, batch);
    yield findDuplicates(documents.filter(({ fields }) => !wallet || fields['wallet'] === wallet));
  }
  for (const batch of batchesOf([...unmirrored], ADDRESSES_PER_QUERY)) {
    yield await missingInMirror(db, batch, scope.program, node);
  }
}

/** Checks that the node is on the right cluster, has the program and is up to date. */
async function checkNode(node: Node, { program, cluster, nowMs }: AuditScope): Promise<void> {
  const { host } = node.url;
  const genesisHash = await readGenesisHash(node);
  if (genesisHash !== cluster) {
    const [name] = [...CLUSTERS].find(([, hash]) => hash === genesisHash) ?? [];
    // The node's operator controls the hash, so an invalid one is not repeated.
    const hash = parseWallet(genesisHash) ?? '(not a hash)';
    throw new Failure(
      `${host} is on ${name ?? `a cluster with the genesis hash ${hash}`}, not on the expected cluster. ` +
        "Check --rpc, or name the deployment's cluster with --cluster.",
      { code: 'wrong_cluster' },
    );
  }
  const { slot, timeMs } = await readFinalized(node, program);
  const ageMs = nowMs() - timeMs;
  if (ageMs > NODE_AGE_MAX_MS) {
    throw new Failure(
      `${host} is ${formatCount(Math.round(ageMs / 60_000))} minutes behind the chain. Use another ` +
        'endpoint, or try again once it has caught up.',
      { code: 'stale_node' },
    );
  }
  node.counts.slot = slot;
}

async function listAccounts(
  node: Node,
  { program, bothWays }: AuditScope,
  state: AuditState,
): Promise<Set<string>> {
  if (!bothWays) return new Set();
  try {
    const listed = await readProgramAccounts(node, program);
    state.accounts = listed.size;
    state.findings['missing_in_mirror'] = 0;
    return listed;
  } catch (error) {
    // The other direction needs no list, so it is audited all the same.
    if (!(error instanceof Failure)) throw error;
    node.note(error.message);
    return new Set();
  }
}

/** Reads documents and accounts again, because an account may have been mirrored or closed since it was listed. */
async function missingInMirror(
  db: Firestore,
  addresses: readonly string[],
  program: string,
  node: Node,
): Promise<Finding[]> {
  const mirrored = new Set(addressesOf(await readAt(db, addresses)));
  const accounts = await readAccounts(node, addresses);
  return addresses.flatMap((onChainAddress, index) => {
    const account = accounts[index];
    if (account?.owner !== program || mirrored.has(onChainAddress)) return [];
    const reason = account.data.length === 0 ? NO_DATA : UNKNOWN_DATA;
    return [{ kind: 'missing_in_mirror', onChainAddress, reason }];
  });
}

function* batchesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
