// Runs a repair from a terminal: an audit, what it would change, and with --apply the changes.

import { escapeForTerminal } from '../../terminal/escape.ts';
import { Failure, usageFailure } from '../../terminal/failure.ts';
import { formatCount } from '../../terminal/table.ts';
import { type AuditState, newState } from '../audit/auditMirror.ts';
import { describeFailure } from '../audit/failures.ts';
import { AUDIT_STATUS, FINDING_KINDS } from '../audit/findings.ts';
import { warningsOf } from '../audit/report.ts';
import { auditedExtent, chainRequests, type WatchedScope, watchedAudit } from '../audit/run.ts';
import { note, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { applyChange } from './applyChange.ts';
import { BackupError, backupFile } from './backup.ts';
import { type Change, ChangePlan, REPAIRS, type RepairKind } from './changes.ts';
import { holdInterrupt, INTERRUPTED } from './interrupt.ts';

/** Each run saves into a file of its own, and a restore needs them all. */
const GO_ON = 'Run it again to go on, with another --backup file.';

export interface RepairScope extends WatchedScope {
  readonly kinds: readonly RepairKind[];
  /** The most changes that are made. */
  readonly max: number;
  /** Path of the file that the documents are saved in. */
  readonly backup: string;
}

/**
 * Prints what a repair would change.
 *
 * @returns the exit status
 * @throws Failure when the audit is not complete
 */
export async function previewRepair({ db }: Target, scope: RepairScope): Promise<number> {
  const changes = await planChanges(db, scope, newState(scope));
  if (changes.length === 0) return AUDIT_STATUS.agreed;
  const flags = changes.some(({ kind }) => REPAIRS[kind] === 'delete') ? ' --delete' : '';
  const max = changes.length > scope.max ? ` --max ${changes.length}` : '';
  await print(
    `\n${describe(changes)} would be made. Nothing was changed: if they are right, ` +
      `run it again with --apply${flags}${max}.\n`,
  );
  return AUDIT_STATUS.findings;
}

/**
 * Repairs the mirror. It can be stopped at any time, and started again.
 *
 * @returns the exit status
 * @throws Failure when the audit is not complete, the changes are too many, or one cannot be made
 */
export async function runRepair(target: ChangeTarget, scope: RepairScope): Promise<number> {
  const state = newState(scope);
  const changes = await planChanges(target.db, scope, state);
  if (changes.length === 0) return AUDIT_STATUS.agreed;
  if (changes.length > scope.max) {
    throw usageFailure(
      `${describe(changes)} are more than --max ${scope.max}: nothing was changed. ` +
        `If they are right, add --max ${changes.length}.`,
    );
  }
  await target.confirm(
    `Make ${describe(changes)}, and save each document in ${scope.backup} before,`,
  );
  return await makeChanges(target, scope, state, changes);
}

async function planChanges(
  db: Target['db'],
  scope: RepairScope,
  state: AuditState,
): Promise<readonly Change[]> {
  const plan = new ChangePlan(scope.kinds);
  try {
    for await (const findings of watchedAudit(db, scope, state)) findings.forEach(plan.add, plan);
  } catch (cause) {
    const { message } = describeFailure(cause, scope.rpc, auditedExtent(state));
    throw new Failure(`${message} Nothing was changed.`, {
      exitStatus: AUDIT_STATUS.unknown,
      cause,
    });
  }
  for (const { message } of warningsOf(state)) await print(`WARNING: ${message}\n`);
  const changes = plan.changes();
  for (const change of changes) await print(`${REPAIRS[change.kind].padEnd(7)}  ${line(change)}\n`);
  if (changes.length === 0) await print('There is nothing to repair.\n');
  return changes;
}

async function makeChanges(
  { db, project }: ChangeTarget,
  scope: RepairScope,
  state: AuditState,
  changes: readonly Change[],
): Promise<number> {
  await using backup = backupFile(scope.backup);
  using interrupt = holdInterrupt(note);
  const chain = chainRequests(scope.rpc, state, note);
  const tools = { ...chain, db, project, program: scope.program, backup };
  const readOwners = chain.readOwners('finalized');
  let made = 0;
  let left = 0;
  const extent = (): string =>
    `Changed: ${formatCount(made)} of ${formatCount(changes.length)} documents, saved in ` +
    `${scope.backup}; left as they are: ${formatCount(left)}.`;
  await print('\n');
  for (const change of changes) {
    if (interrupt.requested()) {
      throw new Failure(`Stopped. ${extent()} ${GO_ON}`, { exitStatus: INTERRUPTED });
    }
    try {
      const leftBecause = await applyChange(change, { ...tools, readOwners });
      if (leftBecause === undefined) made += 1;
      else left += 1;
      await print(`${leftBecause === undefined ? 'done' : 'left'}  ${line(change, leftBecause)}\n`);
    } catch (cause) {
      const message =
        cause instanceof BackupError
          ? `${cause.message} ${extent()}`
          : `${describeFailure(cause, scope.rpc, extent()).message} ${GO_ON}`;
      throw new Failure(message, { exitStatus: AUDIT_STATUS.unknown, cause });
    }
  }
  await print(`\n${extent()}\n`);
  return left > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.agreed;
}

function line({ kind, document, onChainAddress, kept }: Change, leftBecause?: string): string {
  const because = kept ? `${escapeForTerminal(kept)} stays` : FINDING_KINDS[kind].meaning;
  return `${escapeForTerminal(document)}  ${onChainAddress}  ${kind}: ${leftBecause ?? because}`;
}

/** As in "100 confirmations and 200 deletions". */
function describe(changes: readonly Change[]): string {
  const deletions = changes.filter(({ kind }) => REPAIRS[kind] === 'delete').length;
  const parts = [
    [changes.length - deletions, 'confirmation'],
    [deletions, 'deletion'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`)
    .join(' and ');
}
