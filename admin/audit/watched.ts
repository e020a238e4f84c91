// An audit whose progress and retries are printed on standard error.

import type { Firestore } from 'firebase-admin/firestore';
import { CHAIN_FAILURES, ChainError } from '../../chain/chainFailure.ts';
import { DEFAULT_RETRY_POLICY } from '../../chain/retries.ts';
import { startProgress } from '../../terminal/progress.ts';
import { formatCount } from '../../terminal/table.ts';
import { failureOf } from '../program.ts';
import { currentRun } from '../run.ts';
import { type AuditScope, type AuditState, auditMirror } from './auditMirror.ts';
import { chainRequests } from './chainRequests.ts';
import { type Finding, sumOf } from './findings.ts';
import { countDocuments, mirrorQuery } from './mirror.ts';
import { AuditRefusal } from './refusal.ts';
import type { AuditFailure } from './report.ts';

export interface WatchedScope extends AuditScope {
  readonly rpc: URL;
}

/** As `auditMirror`. */
export async function* watchedAudit(
  db: Firestore,
  scope: WatchedScope,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  state.total = await countDocuments(mirrorQuery(db, scope.wallet));
  const progress = startProgress(state.total, 'documents audited', currentRun().stderr);
  const chain = chainRequests(scope.rpc, state, progress.note);
  try {
    for await (const findings of auditMirror(db, scope, chain, state)) {
      yield findings;
      progress.report(state.documents, `findings: ${formatCount(sumOf(state.findings))}`);
    }
  } finally {
    progress.end();
  }
}

/** The progress of an audit, for the end of `describeFailure`. */
export const auditedExtent = ({ documents, total }: AuditState): string =>
  `Audited: ${formatCount(documents)} of ${formatCount(total)} documents.`;

/**
 * What is reported of an error that ended an audit or a repair.
 *
 * @param extent a sentence with its progress
 */
export function describeFailure(error: unknown, { host }: URL, extent: string): AuditFailure {
  if (error instanceof AuditRefusal) return { code: error.code, message: error.message };
  if (error instanceof ChainError) {
    // Only the host: the rest of the address often contains the endpoint's key.
    const { advice, transient } = CHAIN_FAILURES[error.code];
    const attempts = transient ? `, after ${DEFAULT_RETRY_POLICY.maxAttempts} attempts` : '';
    const what = `The chain could not be read: ${host} ${error.message}${attempts}.`;
    return { code: error.code, message: `${what} ${extent} ${advice}` };
  }
  const cause = failureOf(error).message.replace(/\.?$/, '.');
  return { code: 'mirror', message: `Firestore could not be read or written. ${cause} ${extent}` };
}
