// The options of a repair, and the reasons to refuse it.

import type { AuditWarning } from '../audit/report.ts';
import type { RpcScope } from '../audit/run.ts';
import { Failure, USAGE } from '../terminal/failure.ts';
import type { Change, RepairKind } from './changes.ts';
import { describeChanges, type RepairFailure } from './report.ts';

export interface RepairScope extends RpcScope {
  readonly kinds: readonly RepairKind[];
  /** The kinds to repair in spite of a warning. */
  readonly acceptWarning?: readonly RepairKind[];
  /** The maximum number of changes. */
  readonly max: number;
  /** Path of the backup file. */
  readonly backup: string;
  readonly json?: boolean;
}

/** A repair that ended early, with its code for `--json`. */
export class RepairEnd extends Failure {
  readonly code: RepairFailure['code'];

  constructor({ code, message }: RepairFailure, exitStatus: number, cause?: unknown) {
    super(message, { exitStatus, cause });
    this.code = code;
  }
}

/** @throws RepairEnd when a warning concerns the findings to repair, or there are too many changes */
export function refuse(
  scope: RepairScope,
  warnings: readonly AuditWarning[],
  changes: readonly Change[],
): void {
  const unaccepted = kindsWithWarning(scope, warnings);
  if (unaccepted.length > 0) {
    const message = `A warning concerns the findings to repair. Nothing was changed. ${adviceOn(unaccepted)}`;
    throw new RepairEnd({ code: 'unaccepted_warning', message }, USAGE);
  }
  if (changes.length > scope.max) {
    const message =
      `--max ${scope.max} does not allow ${describeChanges(changes)}. Nothing was changed. ` +
      `If they are right, add --max ${changes.length}.`;
    throw new RepairEnd({ code: 'too_many_changes', message }, USAGE);
  }
}

/** Those kinds of the repair that have a warning which was not accepted. */
export const kindsWithWarning = (
  { kinds, acceptWarning = [] }: RepairScope,
  warnings: readonly AuditWarning[],
): readonly RepairKind[] =>
  kinds.filter(
    (kind) => warnings.some(({ finding }) => finding === kind) && !acceptWarning.includes(kind),
  );

export const adviceOn = (kinds: readonly RepairKind[]): string =>
  `Check the warning. If the findings are right nevertheless, add ${kinds
    .map((kind) => `--accept-warning ${kind}`)
    .join(' ')}.`;
