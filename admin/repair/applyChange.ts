// Makes one change of a repair, if it is still right: the document and the chain are read again, the
// document is saved, and it is written only as it was read.

import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { CLOCK_ADDRESS, parseClock, type ReadAccounts } from '../../chain/accounts.ts';
import { noProgram } from '../audit/failures.ts';
import type { BackupFile } from './backup.ts';
import { type Change, REPAIRS } from './changes.ts';
import { type ReadDocument, readDocument, writeUnlessChanged } from './document.ts';
import type { ExactDocuments } from './exactDocuments.ts';
import { findObstacle } from './obstacle.ts';

export interface RepairTools {
  readonly db: Firestore;
  /** Id of the Firebase project. */
  readonly project: string;
  /** Address of the attestation program, base58. */
  readonly program: string;
  /** Host of the RPC endpoint. */
  readonly host: string;
  /** At `finalized`: what a deletion rests on cannot be undone then. */
  readonly readAccounts: ReadAccounts;
  readonly exact: ExactDocuments;
  readonly backup: BackupFile;
}

const WRITTEN_MEANWHILE = 'it was written meanwhile, and the newer write stays';

/** The outcome of a change: undefined when it was made, else why the document was left as it is. */
export type LeftBecause = string | undefined;

/**
 * @throws ChainError, AuditRefusal when the program is gone, Failure when the backup cannot be
 *   written: the document is as it was. After what Firestore throws it may have been changed.
 */
export async function applyChange(change: Change, tools: RepairTools): Promise<LeftBecause> {
  const { db, project, program, backup } = tools;
  const document = await readDocument(db, change.document);
  const kept = change.kept === undefined ? undefined : await readDocument(db, change.kept);
  const addresses = [CLOCK_ADDRESS, program, change.onChainAddress];
  const [clock, programAccount, account = null] = await tools.readAccounts(addresses);
  if (!programAccount) throw noProgram(program, tools.host);

  const present = { document, kept, account, chainMs: parseClock(clock).timeMs };
  const obstacle = findObstacle(change, present, program);
  if (obstacle !== undefined || !document) return obstacle;
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

/** @returns false when the document that stays has been written since */
async function write(
  db: Firestore,
  action: 'confirm' | 'delete',
  { reference, updateTime: lastUpdateTime }: ReadDocument,
  kept: ReadDocument | undefined,
): Promise<boolean> {
  return await db.runTransaction(async (transaction) => {
    // Locked until the commit, so that of two documents of one attestation never both go.
    const standing = kept && (await transaction.get(kept.reference));
    if (kept && !standing?.updateTime?.isEqual(kept.updateTime)) return false;
    if (action === 'delete') transaction.delete(reference, { lastUpdateTime });
    else transaction.update(reference, { status: 'confirmed' }, { lastUpdateTime });
    return true;
  });
}
