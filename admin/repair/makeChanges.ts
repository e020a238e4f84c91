// Makes the changes of a repair one after the other, until all are made, one fails or the user interrupts.

import type { AuditState } from '../audit/auditMirror.ts';
import { describeFailure } from '../audit/failures.ts';
import { AUDIT_STATUS } from '../audit/findings.ts';
import { accountsReader } from '../chain/accounts.ts';
import { ClosedOutput, note } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { INTERRUPTED } from '../terminal/failure.ts';
import { applyChange } from './applyChange.ts';
import { BackupError, backupFile } from './backup.ts';
import type { Change } from './changes.ts';
import { exactDocuments } from './exactDocuments.ts';
import { RepairEnd, type RepairScope } from './refusals.ts';
import {
  type RepairFailure,
  type RepairReport,
  type RepairSummary,
  repairProgressText,
} from './report.ts';

// Each run writes a separate backup, and a complete restore needs all of them.
const RESUME_ADVICE = 'To continue, run it again with another --backup file.';

/** The state of one run of a repair, which its steps share. */
export interface Repair {
  readonly scope: RepairScope;
  readonly state: AuditState;
  readonly report: RepairReport;
  readonly summary: RepairSummary;
  /** The changes that have not been made yet. */
  rest: readonly Change[];
}

/** @returns the exit status @throws RepairEnd */
export async function makeChanges(target: Target, repair: Repair): Promise<number> {
  const { db, project } = target;
  const { scope, state, report, summary } = repair;
  await using backup = backupFile(scope.backup);
  using interrupt = deferInterrupt(note);
  const node = { url: scope.rpc, counts: state, note };
  const tools = {
    db,
    project,
    program: scope.program,
    host: scope.rpc.host,
    exact: exactDocuments(target),
    backup,
    readAccounts: accountsReader(node, 'finalized'),
  };
  const progressText = (): string => repairProgressText(summary, scope.backup);
  const changes = repair.rest;
  for (const [index, change] of changes.entries()) {
    if (interrupt.requested()) {
      const message = `Stopped. ${progressText()} ${RESUME_ADVICE}`;
      throw new RepairEnd({ code: 'interrupted', message }, INTERRUPTED);
    }
    try {
      const reason = await applyChange(change, tools);
      if (reason === undefined) summary.backup = scope.backup;
      summary[reason === undefined ? 'done' : 'skipped'] += 1;
      repair.rest = changes.slice(index + 1);
      await report.made(change, reason);
    } catch (cause) {
      throw new RepairEnd(endOf(cause, scope.rpc, progressText()), AUDIT_STATUS.unknown, cause);
    }
  }
  await report.remark(`\n${progressText()}`);
  return summary.skipped > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.noFindings;
}

function endOf(cause: unknown, rpc: URL, progressText: string): RepairFailure {
  if (cause instanceof BackupError)
    return { code: 'backup', message: `${cause.message} ${progressText}` };
  if (cause instanceof ClosedOutput) {
    const message = `Stopped because standard output was closed. ${progressText} ${RESUME_ADVICE}`;
    return { code: 'interrupted', message };
  }
  const { code, message } = describeFailure(cause, rpc, progressText);
  return { code, message: `${message} ${RESUME_ADVICE}` };
}

/** One press of Ctrl-C arrives as two signals, because npm forwards it too. */
const ONE_PRESS_MS = 1_000;

/** While it is open, the first SIGINT or SIGTERM does not end the process; the second does. */
interface Interrupt extends Disposable {
  readonly requested: () => boolean;
}

function deferInterrupt(note: (text: string) => void): Interrupt {
  let requestedAt: number | undefined;
  const onSignal = (): void => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      note('Stopping after the current change. Press Ctrl-C again to stop immediately.');
    } else if (performance.now() - requestedAt > ONE_PRESS_MS) process.exit(INTERRUPTED);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    requested: () => requestedAt !== undefined,
    [Symbol.dispose]: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
