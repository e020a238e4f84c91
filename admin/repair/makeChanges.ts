// Makes the changes of a repair one after the other, until it is done, fails or is interrupted.

import type { AuditState } from '../audit/auditMirror.ts';
import { chainRequests } from '../audit/chainRequests.ts';
import { describeFailure } from '../audit/failures.ts';
import { AUDIT_STATUS } from '../audit/findings.ts';
import { ClosedOutput, note } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { applyChange } from './applyChange.ts';
import { BackupError, backupFile } from './backup.ts';
import type { Change } from './changes.ts';
import { exactDocuments } from './exactDocuments.ts';
import { RepairEnd, type RepairScope } from './refusals.ts';
import { extentOf, type RepairFailure, type RepairReport, type RepairSummary } from './report.ts';

// Each run saves into a separate file, and a restore needs them all.
const GO_ON = 'Run it again to go on, with another --backup file.';

/** One run of a repair; each step takes what it needs of it. */
export interface Repair {
  readonly scope: RepairScope;
  readonly state: AuditState;
  readonly report: RepairReport;
  readonly summary: RepairSummary;
  /** The changes that have not been made. */
  rest: readonly Change[];
}

/** @returns the exit status @throws RepairEnd */
export async function makeChanges(target: Target, repair: Repair): Promise<number> {
  const { db, project } = target;
  const { scope, state, report, summary } = repair;
  await using backup = backupFile(scope.backup);
  using interrupt = holdInterrupt(note);
  const chain = chainRequests(scope.rpc, state, note);
  const readAccounts = chain.readAccounts('finalized');
  const tools = {
    db,
    project,
    program: scope.program,
    host: chain.host,
    exact: exactDocuments(target),
    backup,
    readAccounts,
  };
  const extent = (): string => extentOf(summary, scope.backup);
  const changes = repair.rest;
  for (const [index, change] of changes.entries()) {
    if (interrupt.requested()) {
      const message = `Stopped. ${extent()} ${GO_ON}`;
      throw new RepairEnd({ code: 'interrupted', message }, INTERRUPTED);
    }
    try {
      const leftBecause = await applyChange(change, tools);
      if (leftBecause === undefined) summary.backup = scope.backup;
      summary[leftBecause === undefined ? 'done' : 'left'] += 1;
      repair.rest = changes.slice(index + 1);
      await report.made(change, leftBecause);
    } catch (cause) {
      throw new RepairEnd(endOf(cause, scope.rpc, extent()), AUDIT_STATUS.unknown, cause);
    }
  }
  await report.remark(`\n${extent()}`);
  return summary.left > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.agreed;
}

function endOf(cause: unknown, rpc: URL, extent: string): RepairFailure {
  if (cause instanceof BackupError)
    return { code: 'backup', message: `${cause.message} ${extent}` };
  if (cause instanceof ClosedOutput) {
    const message = `Stopped, since standard output was closed. ${extent} ${GO_ON}`;
    return { code: 'interrupted', message };
  }
  const { code, message } = describeFailure(cause, rpc, extent);
  return { code, message: `${message} ${GO_ON}` };
}

/** npm passes a terminal's Ctrl-C on, so that one press arrives as two signals. */
const ONE_PRESS_MS = 1_000;

/** The exit status of a process that Ctrl-C has ended, as a shell reports it. */
const INTERRUPTED = 130;

/** While it is open, SIGINT and SIGTERM do not end the process; a second press does. */
interface Interrupt extends Disposable {
  readonly requested: () => boolean;
}

function holdInterrupt(note: (text: string) => void): Interrupt {
  let requestedAt: number | undefined;
  const onSignal = (): void => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      note('Stopping after the change that is being made. Ctrl-C again stops at once.');
    } else if (performance.now() - requestedAt > ONE_PRESS_MS) process.exit(INTERRUPTED);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    requested: () => requestedAt !== undefined,
    [Symbol.dispose]: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
