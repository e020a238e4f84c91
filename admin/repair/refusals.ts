// What a repair is asked to do, and when it refuses to do it.

import { Failure } from '../../terminal/failure.ts';
import type { AuditWarning } from '../audit/report.ts';
import type { WatchedScope } from '../audit/run.ts';
import type { Change, RepairKind } from './changes.ts';
import { describeChanges, type RepairFailure } from './report.ts';

const USAGE_STATUS = 2;

export interface RepairScope extends WatchedScope {
  readonly kinds: readonly RepairKind[];
  /** The kinds that are repaired although there is a warning about them. */
  readonly acceptWarning?: readonly RepairKind[];
  /** The most changes that are made. */
  readonly max: number;
  /** Path of the file that the documents are saved in. */
  readonly backup: string;
  readonly json?: boolean;
}

/** A repair that ended early, with what `--json` says of it. */
export class RepairEnd extends Failure {
  readonly code: RepairFailure['code'];

  constructor({ code, message }: RepairFailure, exitStatus: number, cause?: unknown) {
    super(message, { exitStatus, cause });
    this.code = code;
  }
}

/** @throws RepairEnd when a warning concerns what would be changed, or there are too many changes */
export function refuse(
  scope: RepairScope,
  warnings: readonly AuditWarning[],
  changes: readonly Change[],
): void {
  const doubted = doubtedKinds(scope, warnings);
  if (doubted.length > 0) {
    const message = `A warning concerns what would be repaired: nothing was changed. ${adviceOn(doubted)}`;
    throw new RepairEnd({ code: 'unaccepted_warning', message }, USAGE_STATUS);
  }
  if (changes.length > scope.max) {
    const message =
      `${describeChanges(changes)} are more than --max ${scope.max}: nothing was changed. ` +
      `If they are right, add --max ${changes.length}.`;
    throw new RepairEnd({ code: 'too_many_changes', message }, USAGE_STATUS);
  }
}

/** The kinds to be repaired that a warning concerns, unless it was accepted. */
export const doubtedKinds = (
  { kinds, acceptWarning = [] }: RepairScope,
  warnings: readonly AuditWarning[],
): readonly RepairKind[] =>
  kinds.filter(
    (kind) => warnings.some(({ finding }) => finding === kind) && !acceptWarning.includes(kind),
  );

export const adviceOn = (kinds: readonly RepairKind[]): string =>
  `Check what the warning says. If the findings are right all the same, add ${kinds
    .map((kind) => `--accept-warning ${kind}`)
    .join(' ')}.`;
