// Runs a repair: audits, prints the planned changes, and with --apply makes them.

import { newState } from '../audit/auditMirror.ts';
import { describeFailure } from '../audit/failures.ts';
import { AUDIT_STATUS } from '../audit/findings.ts';
import { warningsOf } from '../audit/report.ts';
import { auditProgressText, auditWithProgress } from '../audit/run.ts';
import { ClosedOutput, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { ChangePlan, REPAIRS } from './changes.ts';
import { makeChanges, type Repair } from './makeChanges.ts';
import { adviceOn, kindsWithWarning, RepairEnd, type RepairScope, refuse } from './refusals.ts';
import { describeChanges, jsonReport, newSummary, textReport } from './report.ts';

/**
 * Repairs the mirror, or only prints the planned changes. It can be stopped at any time and run again.
 *
 * @param confirm called before documents are changed; undefined to change nothing
 * @returns the exit status
 * @throws Failure when the audit is not complete, the repair is refused, or a change cannot be made
 */
export async function runRepair(
  target: Target,
  scope: RepairScope,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const report = scope.json ? jsonReport(print) : textReport(print);
  const summary = newSummary();
  const repair: Repair = { scope, report, summary, state: newState(scope), rest: [] };
  try {
    const status = await repairSteps(target, repair, confirm);
    await report.end(summary, repair.rest);
    return status;
  } catch (error) {
    summary.complete = false;
    const message = error instanceof Error ? error.message : String(error);
    summary.failure = { code: error instanceof RepairEnd ? error.code : 'unconfirmed', message };
    // Standard error reports the failure too, so a closed standard output hides nothing.
    await report.end(summary, repair.rest).catch((closed: unknown) => {
      if (!(closed instanceof ClosedOutput)) throw closed;
    });
    throw error;
  }
}

async function repairSteps(
  target: Target,
  repair: Repair,
  confirm: ChangeTarget['confirm'] | undefined,
): Promise<number> {
  const { scope, summary } = repair;
  await planChanges(target, repair);
  if (repair.rest.length === 0) return AUDIT_STATUS.noFindings;
  if (confirm === undefined) return await preview(repair);
  refuse(scope, summary.warnings, repair.rest);
  const changes = describeChanges(repair.rest);
  await confirm(`Save the documents in ${scope.backup}, and make ${changes}`);
  return await makeChanges(target, repair);
}

async function planChanges({ db }: Target, repair: Repair): Promise<void> {
  const { scope, state, report, summary } = repair;
  const plan = new ChangePlan(scope.kinds);
  try {
    for await (const findings of auditWithProgress(db, scope, state))
      findings.forEach(plan.add, plan);
  } catch (cause) {
    const { code, message } = describeFailure(cause, scope.rpc, auditProgressText(state));
    const failure = { code, message: `${message} Nothing was changed.` };
    throw new RepairEnd(failure, AUDIT_STATUS.unknown, cause);
  }
  repair.rest = plan.changes();
  summary.planned = repair.rest.length;
  summary.warnings = warningsOf(state);
  await report.plan(repair.rest, summary.warnings);
}

async function preview({ scope, report, summary, rest }: Repair): Promise<number> {
  const flags = rest.some(({ kind }) => REPAIRS[kind] === 'delete') ? ' --delete' : '';
  const max = rest.length > scope.max ? ` --max ${rest.length}` : '';
  const unaccepted = kindsWithWarning(scope, summary.warnings);
  await report.remark(
    `${describeChanges(rest)} would be made. Nothing was changed. If they are right, ` +
      `run it again with --apply${flags}${max}.${unaccepted.length > 0 ? ` ${adviceOn(unaccepted)}` : ''}`,
  );
  return AUDIT_STATUS.findings;
}
