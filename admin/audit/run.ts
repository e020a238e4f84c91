// Runs an audit from a terminal: its report and its exit status.

import { Failure } from '../../terminal/failure.ts';
import { print } from '../output.ts';
import type { Target } from '../target.ts';
import { newState } from './auditMirror.ts';
import { AUDIT_STATUS, sumOf } from './findings.ts';
import { type AuditFailure, jsonReport, textReport } from './report.ts';
import { warningsOf } from './warnings.ts';
import { auditedExtent, describeFailure, type WatchedScope, watchedAudit } from './watched.ts';

export interface AuditOptions extends WatchedScope {
  readonly json?: boolean;
}

/**
 * Audits the mirror: the report on standard output, progress on standard error.
 *
 * @returns the exit status
 * @throws Failure once the report has been ended, when the chain or the mirror could not be read
 */
export async function runAudit({ db }: Target, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const report = options.json ? jsonReport(print) : textReport(print);
  const state = newState(options);
  let failure: AuditFailure | undefined;
  let cause: unknown;
  try {
    for await (const findings of watchedAudit(db, options, state)) {
      for (const finding of findings) await report.finding(finding);
    }
  } catch (error) {
    cause = error;
    failure = describeFailure(error, options.rpc, auditedExtent(state));
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
  return sumOf(state.findings) > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.agreed;
}
