// Runs an audit from a terminal or as a scheduled job, with its summary, its warnings and its exit status.

import type { Target } from '../frame/target.ts';
import type { Failure } from '../terminal/failure.ts';
import { type AuditScope, auditMirror, auditProgressText, newState } from './audit.ts';
import { endOf } from './failures.ts';
import { AUDIT_STATUS, sumOf } from './findings.ts';
import {
  type AuditSummary,
  findingLine,
  logReport,
  openReport,
  summaryText,
  warningsOf,
} from './report.ts';

export interface AuditOptions extends AuditScope {
  readonly json?: boolean;
  /** Whether to print only the summary, as one line for a log. */
  readonly log?: boolean;
  /** The age of the newest document that causes a warning. */
  readonly maxSyncHours: number;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * Audits the mirror. The report goes to standard output, the progress to standard error.
 *
 * @returns the exit status
 * @throws Failure after the end of the report, when the chain or the mirror could not be read
 */
export async function runAudit({ db }: Target, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const report = options.log ? logReport() : openReport('findings', options.json);
  const state = newState();
  let failure: Failure | undefined;
  try {
    for await (const findings of auditMirror(db, options, state)) {
      for (const finding of findings) await report.entry(finding, findingLine(finding));
    }
  } catch (error) {
    failure = endOf(error, auditProgressText(state));
  }
  const { syncedMs, ...counts } = state;
  const syncedHoursAgo =
    options.wallet || !syncedMs
      ? null
      : Number(((options.nowMs() - syncedMs) / HOUR_MS).toFixed(1));
  const stale = !failure && syncedHoursAgo !== null && syncedHoursAgo > options.maxSyncHours;
  const summary: AuditSummary = {
    complete: failure === undefined,
    ...(failure && { failure: { code: failure.code ?? 'mirror', message: failure.message } }),
    warnings: failure ? [] : warningsOf(state, { ...options, stale }),
    ...counts,
    found: sumOf(state.findings),
    syncedHoursAgo,
    stale,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  await report.remark(summaryText(summary));
  await report.end(summary);
  if (failure) throw failure;
  const isClean = summary.found === 0 && !stale;
  return isClean || options.log ? AUDIT_STATUS.noFindings : AUDIT_STATUS.findings;
}
