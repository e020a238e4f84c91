// Makes one change of a repair if it is still right. Reads the document and the chain again, saves the
// document to the backup, and writes it only if nobody else has changed it since.

import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { noProgram } from '../audit/failures.ts';
import { CLOCK_ADDRESS, parseClock, type ReadAccounts } from '../chain/accounts.ts';
import type { BackupFile } from './backup.ts';
import { type Change, REPAIRS } from './changes.ts';
import { type ReadDocument, readDocument, writeUnlessChanged } from './document.ts';
import type { ExactDocuments } from './exactDocuments.ts';
import { skipReason } from './skipReason.ts';

export interface RepairTools {
  readonly db: Firestore;
  /** Id of the Firebase project. */
  readonly project: string;
  /** Address of the attestation program, base58. */
  readonly program: string;
  /** Host of the RPC endpoint. */
  readonly host: string;
  /** Reads at `finalized`, so that the reason for a deletion cannot be rolled back. */
  readonly readAccounts: ReadAccounts;
  readonly exact: ExactDocuments;
  readonly backup: BackupFile;
}

const WRITTEN_MEANWHILE = 'it was changed in the meantime, and the newer change is kept';

/**
 * @returns why the document was not changed; undefined if it was
 * @throws ChainError, AuditRefusal when the program no longer exists, or BackupError when the backup
 *   cannot be written; the document is then unchanged. If Firestore fails, it may have been changed.
 */
export async function applyChange(change: Change, tools: RepairTools): Promise<string | undefined> {
  const { db, project, program, backup } = tools;
  const document = await readDocument(db, change.document);
  const kept = change.kept === undefined ? undefined : await readDocument(db, change.kept);
  const addresses = [CLOCK_ADDRESS, program, change.onChainAddress];
  const [clock, programAccount, account = null] = await tools.readAccounts(addresses);
  if (!programAccount) throw noProgram(program, tools.host);

  const present = { document, kept, account, chainMs: parseClock(clock).timeMs };
  const reason = skipReason(change, present, program);
  if (reason !== undefined || !document) return reason;
  const stored = await tools.exact.read(change.document);
  if (!stored || !isSameTime(stored.updateTime, document.updateTime)) return WRITTEN_MEANWHILE;

  const action = REPAIRS[change.kind];
  await backup.save({ project, document: change.document, change: action, fields: stored.fields });
  const isMade = await writeUnlessChanged(() => write(db, action, document, kept));
  return isMade ? undefined : WRITTEN_MEANWHILE;
}

function isSameTime(rfc3339: string, time: Timestamp): boolean {
  const [, fraction = ''] = /\.(\d+)Z$/.exec(rfc3339) ?? [];
  const seconds = Math.floor(Date.parse(rfc3339) / 1000);
  return new Timestamp(seconds, Number(fraction.padEnd(9, '0'))).isEqual(time);
}

/** @returns false if the document to keep has been written since */
async function write(
  db: Firestore,
  action: 'confirm' | 'delete',
  { reference, updateTime: lastUpdateTime }: ReadDocument,
  kept: ReadDocument | undefined,
): Promise<boolean> {
  return await db.runTransaction(async (transaction) => {
    // Locked until the commit, so that two documents of one attestation are never both deleted.
    const current = kept && (await transaction.get(kept.reference));
    if (kept && !current?.updateTime?.isEqual(kept.updateTime)) return false;
    if (action === 'delete') transaction.delete(reference, { lastUpdateTime });
    else transaction.update(reference, { status: 'confirmed' }, { lastUpdateTime });
    return true;
  });
}
