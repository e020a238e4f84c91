// Makes one change of a repair if it is still right. Reads the document and the chain again, saves the
// document to the backup, and writes it only if nobody else has changed it since.

import { comparePrecedence } from '../../records/precedence.ts';
import { checkDocument, compareEntry } from '../audit/compare.ts';
import { type Account, readFinalized } from '../chain/accounts.ts';
import type { Node } from '../chain/rpc.ts';
import type { BackupFile } from './backup.ts';
import { type Change, REPAIRS } from './changes.ts';
import { type Documents, type StoredDocument, toMirrorDocument } from './documents.ts';

export interface RepairTools {
  /** Id of the Firebase project. */
  readonly project: string;
  /** Address of the attestation program, base58. */
  readonly program: string;
  readonly node: Node;
  readonly documents: Documents;
  readonly backup: BackupFile;
}

/** The state just before a change. */
export interface Present {
  readonly document: StoredDocument | undefined;
  /** For a duplicate, the document of the same attestation to keep. */
  readonly kept: StoredDocument | undefined;
  /** The account at the change's address, read at `finalized`; null if there is none. */
  readonly account: Account | null;
  /** The chain's clock when `account` was read, in milliseconds. */
  readonly chainMs: number;
}

const CONFIRMED = { status: { stringValue: 'confirmed' } };
/** An account that was synced more recently than this may not have reached `finalized` or this node yet. */
const VISIBLE_AFTER_MS = 2 * 60 * 1000;

/**
 * @param onWrite called when the write is sent. If anything fails later, the document may have been changed
 * @returns why the document was not changed; undefined if it was
 * @throws Failure when the chain cannot be read, the program no longer exists, or the backup cannot be written
 */
export async function applyChange(
  change: Change,
  tools: RepairTools,
  onWrite: () => void,
): Promise<string | undefined> {
  const { project, program, node, documents, backup } = tools;
  const document = await documents.read(change.document);
  const kept = change.kept === undefined ? undefined : await documents.read(change.kept);
  // Read at `finalized`, so that the reason for a deletion cannot be rolled back.
  const { timeMs, account } = await readFinalized(node, program, change.onChainAddress);
  const reason = skipReason(change, { document, kept, account, chainMs: timeMs }, program);
  if (reason !== undefined || !document) return reason;

  const action = REPAIRS[change.kind];
  const { fields } = document;
  await backup.save({ project, document: change.document, change: action, fields });
  onWrite();
  const isMade = await documents.commit([
    action === 'delete' ? { delete: document } : { update: document, only: CONFIRMED },
    // Writing its own status changes nothing. But the write has a precondition, so two documents of one attestation
    // are never both deleted.
    ...(kept ? [{ update: kept, only: { status: kept.fields['status'] ?? {} } }] : []),
  ]);
  return isMade ? undefined : 'it was changed in the meantime, and the newer change is kept';
}

/** @returns why the change must be skipped, for people; undefined if it is still right */
export function skipReason(
  change: Change,
  { document: stored, kept, account, chainMs }: Present,
  program: string,
): string | undefined {
  if (!stored) return 'it no longer exists';
  const document = checkDocument(toMirrorDocument(stored), program);
  if ('finding' in document) return `its finding is now ${document.finding.kind}`;
  const { onChainAddress, syncedAt } = document.attestation;
  if (onChainAddress !== change.onChainAddress) return 'its address has changed';
  if (change.kind === 'duplicate') {
    if (!kept) return 'the document to keep no longer exists';
    const original = checkDocument(toMirrorDocument(kept), program);
    if ('finding' in original) return 'the document to keep is no longer valid';
    if (original.attestation.onChainAddress !== onChainAddress) {
      return 'the document to keep belongs to another attestation';
    }
    return comparePrecedence(original, document) < 0
      ? undefined
      : 'the endpoint now returns this document instead of the one to keep';
  }
  const findings = compareEntry(document, account, program, chainMs);
  if (!findings.some(({ kind }) => kind === change.kind)) {
    return 'the finding is no longer true for the current document and the finalized chain';
  }
  // A sync writes the document, so a `syncedAt` after the last write must be wrong.
  const syncedMs = Math.min(Date.parse(syncedAt), Date.parse(stored.updateTime));
  if (change.kind === 'missing_on_chain' && chainMs - syncedMs < VISIBLE_AFTER_MS) {
    return "by the node's clock, it was synced less than 2 minutes ago; run the repair again later";
  }
  return undefined;
}
