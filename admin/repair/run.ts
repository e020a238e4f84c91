// Runs a repair: audits, prints the planned changes, and with --apply makes them one after the other.

import { type AuditScope, auditMirror, auditProgressText, newState } from '../audit/audit.ts';
import { AUDIT_STATUS } from '../audit/findings.ts';
import { type AuditWarning, endOf, openReport, warningsOf } from '../audit/run.ts';
import { note } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure, USAGE } from '../terminal/failure.ts';
import { escapeForTerminal, formatCount } from '../terminal/table.ts';
import { applyChange } from './applyChange.ts';
import { backupFile } from './backup.ts';
import {
  addChanges,
  type Change,
  describeChanges,
  isDeletion,
  lineOf,
  REPAIRS,
  type RepairKind,
} from './changes.ts';
import { openDocuments } from './documents.ts';

export interface RepairScope extends AuditScope {
  readonly kinds: readonly RepairKind[];
  /** The kinds to repair in spite of a warning. */
  readonly acceptWarning?: readonly RepairKind[];
  /** The maximum number of changes. */
  readonly max: number;
  /** Path of the backup file. */
  readonly backup: string;
  readonly json?: boolean;
}

/** The outcome, as `--json` prints it after the changes. */
interface RepairSummary {
  /** False if `failure` ended the repair early. */
  complete: boolean;
  failure?: { readonly code: string | undefined; readonly message: string };
  warnings: readonly AuditWarning[];
  planned: number;
  done: number;
  skipped: number;
  /** The backup file; null if certainly no document was changed. */
  backup: string | null;
}

// Each run writes a separate backup, and a complete restore needs all of them.
const RESUME_ADVICE = 'To continue, run it again with another --backup file.';

/**
 * Repairs the mirror, or only prints the planned changes. It can be stopped at any time and run again.
 *
 * @param confirm called before documents are changed; undefined to change nothing
 * @returns the exit status
 * @throws Failure when the audit is not complete, the repair is refused, or a change cannot be made
 */
export async function runRepair(
  target: Pick<Target, 'project' | 'emulator' | 'db'>,
  scope: RepairScope,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const report = openReport('changes', scope.json);
  const audited = newState();
  const counts = { planned: 0, done: 0, skipped: 0 };
  const summary: RepairSummary = { complete: true, warnings: [], ...counts, backup: null };
  let changes: readonly Change[] = [];
  let progressText = (): string => `${auditProgressText(audited)} Nothing was changed.`;
  /** The change whose write was sent, and whose reply is not here yet. */
  let current: Change | undefined;
  let failure: Failure | undefined;
  try {
    const plan = new Map<string, Change>();
    for await (const findings of auditMirror(target.db, scope, audited)) {
      for (const finding of findings) addChanges(plan, finding, scope.kinds);
    }
    progressText = () => '';
    changes = [...plan.values()];
    summary.planned = changes.length;
    summary.warnings = warningsOf(audited);
    for (const { message } of summary.warnings) await report.remark(`WARNING: ${message}`);
    for (const change of changes) await report.remark(lineOf(REPAIRS[change.kind], change));
    const advice = adviceOn(scope, summary.warnings);
    if (changes.length === 0) await report.remark('There is nothing to repair.');
    else if (confirm === undefined) await report.remark(preview(scope, changes) + advice);
    else {
      refuse(scope, changes, advice);
      await confirm(`Save the documents in ${scope.backup}, and make ${describeChanges(changes)}`);
      progressText = () => {
        const doubt = current
          ? `It is not known whether ${escapeForTerminal(current.document)} was changed. `
          : '';
        return `${doubt}${changedText(scope, summary)} ${RESUME_ADVICE}`;
      };
      await using backup = backupFile(scope.backup);
      const tools = {
        project: target.project,
        program: scope.program,
        node: { url: scope.rpc, counts: audited, note },
        documents: openDocuments(target),
        backup,
      };
      for (const change of changes) {
        // Shown if it is interrupted, which is safe at any time: each document is saved before its change.
        currentRun().wait.known = progressText();
        const reason = await applyChange(change, tools, () => {
          current = change;
          currentRun().wait.known = progressText();
        });
        current = undefined;
        if (reason === undefined) summary.backup = scope.backup;
        const outcome = reason === undefined ? 'done' : 'skipped';
        summary[outcome] += 1;
        await report.entry(toJson(change, outcome, reason), lineOf(outcome, change, reason));
      }
      await report.remark(`\n${changedText(scope, summary)}`);
    }
  } catch (error) {
    if (current) summary.backup = scope.backup;
    failure = endOf(error, progressText());
    summary.complete = false;
    summary.failure = { code: failure.code, message: failure.message };
  }
  try {
    for (const change of changes.slice(summary.done + summary.skipped)) {
      await report.entry(toJson(change, change === current ? 'unknown' : 'planned'));
    }
    await report.end(summary);
  } catch (error) {
    // Standard error reports the failure too, so a closed standard output hides nothing.
    throw failure ?? error;
  }
  if (failure) throw failure;
  return summary.done === summary.planned ? AUDIT_STATUS.noFindings : AUDIT_STATUS.findings;
}

const changedText = ({ backup }: RepairScope, { done, planned, skipped }: RepairSummary): string =>
  `Changed: ${formatCount(done)} of ${formatCount(planned)} documents, with a backup in ` +
  `${backup}; skipped: ${formatCount(skipped)}.`;

function preview({ max }: RepairScope, changes: readonly Change[]): string {
  const flags = changes.some(isDeletion) ? ' --delete' : '';
  const limit = changes.length > max ? ` --max ${changes.length}` : '';
  return (
    `\n${describeChanges(changes)} would be made. Nothing was changed. If they are right, ` +
    `run it again with --apply${flags}${limit}.`
  );
}

/**
 * @param advice what to do about the warnings, if any
 * @throws Failure when a warning concerns the findings to repair, or there are too many changes
 */
function refuse({ max }: RepairScope, changes: readonly Change[], advice: string): void {
  if (advice) {
    const message = `A warning concerns the findings to repair. Nothing was changed.${advice}`;
    throw new Failure(message, { code: 'unaccepted_warning', exitStatus: USAGE });
  }
  if (changes.length > max) {
    const message =
      `--max ${max} does not allow ${describeChanges(changes)}. Nothing was changed. ` +
      `If they are right, add --max ${changes.length}.`;
    throw new Failure(message, { code: 'too_many_changes', exitStatus: USAGE });
  }
}

/** What to do about the warnings that concern the repair and were not accepted; empty if there are none. */
function adviceOn(
  { kinds, acceptWarning = [] }: RepairScope,
  warnings: readonly AuditWarning[],
): string {
  const unaccepted = kinds.filter(
    (kind) => warnings.some(({ finding }) => finding === kind) && !acceptWarning.includes(kind),
  );
  if (unaccepted.length === 0) return '';
  const options = unaccepted.map((kind) => `--accept-warning ${kind}`).join(' ');
  return ` Check the warning. If the findings are right nevertheless, add ${options}.`;
}

const toJson = (change: Change, outcome: string, reason?: string) => ({
  ...change,
  change: REPAIRS[change.kind],
  outcome,
  ...(reason !== undefined && { reason }),
});
