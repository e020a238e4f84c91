// Runs an audit from a terminal with its progress, its report and its exit status.

import type { Firestore } from 'firebase-admin/firestore';
import { print } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { formatCount } from '../terminal/table.ts';
import { type AuditScope, type AuditState, auditMirror, newState } from './auditMirror.ts';
import { type AuditFailure, describeFailure } from './failures.ts';
import { AUDIT_STATUS, type Finding, sumOf } from './findings.ts';
import { countDocuments, mirrorQuery } from './mirror.ts';
import { jsonReport, textReport, warningsOf } from './report.ts';

export interface RpcScope extends AuditScope {
  readonly rpc: URL;
}

export interface AuditOptions extends RpcScope {
  readonly json?: boolean;
}

/**
 * Audits the mirror. The report goes to standard output, the progress to standard error.
 *
 * @returns the exit status
 * @throws Failure after the end of the report, when the chain or the mirror could not be read
 */
export async function runAudit({ db }: Target, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const report = options.json ? jsonReport(print) : textReport(print);
  const state = newState(options);
  let failure: AuditFailure | undefined;
  let cause: unknown;
  try {
    for await (const findings of auditWithProgress(db, options, state)) {
      for (const finding of findings) await report.finding(finding);
    }
  } catch (error) {
    cause = error;
    failure = describeFailure(error, options.rpc, auditProgressText(state));
  }
  await report.end({
    complete: failure === undefined,
    ...(failure && { failure }),
    warnings: failure ? [] : warningsOf(state),
    ...state,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  });
  if (failure) throw new Failure(failure.message, { exitStatus: AUDIT_STATUS.unknown, cause });
  return sumOf(state.findings) > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.noFindings;
}

/** Runs `auditMirror` and shows its progress. */
export async function* auditWithProgress(
  db: Firestore,
  scope: RpcScope,
  state: AuditState,
): AsyncGenerator<readonly Finding[]> {
  state.total = await countDocuments(mirrorQuery(db, scope.wallet));
  const progress = startProgress(state.total, 'documents audited', currentRun().stderr);
  const node = { url: scope.rpc, counts: state, note: progress.note };
  try {
    for await (const findings of auditMirror(db, scope, node, state)) {
      yield findings;
      progress.report(state.documents, `findings: ${formatCount(sumOf(state.findings))}`);
    }
  } finally {
    progress.end();
  }
}

/** A sentence about the progress of an audit, for `describeFailure`. */
export const auditProgressText = ({ documents, total }: AuditState): string =>
  `Audited: ${formatCount(documents)} of ${formatCount(total)} documents.`;
