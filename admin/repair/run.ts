// Runs a repair: audits, prints the planned changes, and with --apply makes them one after the other.

import { type AuditScope, auditMirror, auditProgressText, newState } from '../audit/audit.ts';
import { endOf } from '../audit/failures.ts';
import { AUDIT_STATUS } from '../audit/findings.ts';
import { type AuditWarning, openReport, warningsOf } from '../audit/report.ts';
import { note } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure, USAGE } from '../terminal/failure.ts';
import { formatCount } from '../terminal/table.ts';
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

export type RepairTarget = Pick<Target, 'project' | 'emulator' | 'db'>;

/** The state of one run of a repair, which its steps share. */
interface Repair {
  readonly scope: RepairScope;
  readonly report: ReturnType<typeof openReport>;
  readonly audited: ReturnType<typeof newState>;
  /** The changes that have not been made yet. */
  rest: readonly Change[];
  /** How far it is, for a failure. */
  progressText: () => string;
  /** The outcome, as `--json` prints it after the changes. */
  readonly summary: {
    /** False if `failure` ended the repair early. */
    complete: boolean;
    failure?: { readonly code: string | undefined; readonly message: string };
    warnings: readonly AuditWarning[];
    planned: number;
    done: number;
    skipped: number;
    /** The backup file; null if no document was changed. */
    backup: string | null;
  };
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
  target: RepairTarget,
  scope: RepairScope,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const audited = newState();
  const repair: Repair = {
    scope,
    report: openReport('changes', scope.json),
    audited,
    rest: [],
    progressText: () => `${auditProgressText(audited)} Nothing was changed.`,
    summary: { complete: true, warnings: [], planned: 0, done: 0, skipped: 0, backup: null },
  };
  let status: number = AUDIT_STATUS.findings;
  let failure: Failure | undefined;
  try {
    await planChanges(target, repair);
    if (repair.rest.length === 0) status = AUDIT_STATUS.noFindings;
    else if (confirm === undefined) await preview(repair);
    else {
      refuse(repair);
      const changes = describeChanges(repair.rest);
      await confirm(`Save the documents in ${scope.backup}, and make ${changes}`);
      status = await makeChanges(target, repair);
    }
  } catch (error) {
    failure = endOf(error, repair.progressText());
    repair.summary.complete = false;
    repair.summary.failure = { code: failure.code, message: failure.message };
  }
  try {
    for (const change of repair.rest) await repair.report.entry(toJson(change, 'planned'));
    await repair.report.end(repair.summary);
  } catch (error) {
    // Standard error reports the failure too, so a closed standard output hides nothing.
    throw failure ?? error;
  }
  if (failure) throw failure;
  return status;
}

async function planChanges({ db }: RepairTarget, repair: Repair): Promise<void> {
  const { scope, audited, report, summary } = repair;
  const plan = new Map<string, Change>();
  for await (const findings of auditMirror(db, scope, audited)) {
    for (const finding of findings) addChanges(plan, finding, scope.kinds);
  }
  repair.progressText = () => '';
  repair.rest = [...plan.values()];
  summary.planned = repair.rest.length;
  summary.warnings = warningsOf(audited);
  for (const { message } of summary.warnings) await report.remark(`WARNING: ${message}`);
  for (const change of repair.rest) await report.remark(lineOf(REPAIRS[change.kind], change));
  await report.remark(repair.rest.length === 0 ? 'There is nothing to repair.' : '');
}

async function preview({ scope, report, summary, rest }: Repair): Promise<void> {
  const flags = rest.some(isDeletion) ? ' --delete' : '';
  const max = rest.length > scope.max ? ` --max ${rest.length}` : '';
  await report.remark(
    `${describeChanges(rest)} would be made. Nothing was changed. If they are right, ` +
      `run it again with --apply${flags}${max}.${adviceOn(scope, summary.warnings)}`,
  );
}

/** @throws Failure when a warning concerns the findings to repair, or there are too many changes */
function refuse({ scope, summary, rest }: Repair): void {
  const advice = adviceOn(scope, summary.warnings);
  if (advice) {
    const message = `A warning concerns the findings to repair. Nothing was changed.${advice}`;
    throw new Failure(message, { code: 'unaccepted_warning', exitStatus: USAGE });
  }
  if (rest.length > scope.max) {
    const message =
      `--max ${scope.max} does not allow ${describeChanges(rest)}. Nothing was changed. ` +
      `If they are right, add --max ${rest.length}.`;
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

/** Makes the changes until all are made or one fails. @returns the exit status */
async function makeChanges(target: RepairTarget, repair: Repair): Promise<number> {
  const { scope, report, summary, audited } = repair;
  await using backup = backupFile(scope.backup);
  const tools = {
    project: target.project,
    program: scope.program,
    node: { url: scope.rpc, counts: audited, note },
    documents: openDocuments(target),
    backup,
  };
  const progressText = (): string =>
    `Changed: ${formatCount(summary.done)} of ${formatCount(summary.planned)} documents, with a backup in ` +
    `${scope.backup}; skipped: ${formatCount(summary.skipped)}.`;
  repair.progressText = () => `${progressText()} ${RESUME_ADVICE}`;
  const changes = repair.rest;
  for (const [index, change] of changes.entries()) {
    // Shown if it is interrupted, which is safe at any time: each document is saved before its change.
    currentRun().wait.known = `It is not known whether ${change.document} was changed. ${repair.progressText()}`;
    const reason = await applyChange(change, tools);
    if (reason === undefined) summary.backup = scope.backup;
    const outcome = reason === undefined ? 'done' : 'skipped';
    summary[outcome] += 1;
    repair.rest = changes.slice(index + 1);
    await report.entry(toJson(change, outcome, reason), lineOf(outcome, change, reason));
  }
  await report.remark(`\n${progressText()}`);
  return summary.skipped > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.noFindings;
}

const toJson = (change: Change, outcome: string, reason?: string) => ({
  ...change,
  change: REPAIRS[change.kind],
  outcome,
  ...(reason !== undefined && { reason }),
});
