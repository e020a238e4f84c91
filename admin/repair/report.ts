// Reports a repair as lines of text or as one JSON document.

import type { AuditFailure } from '../audit/failures.ts';
import { FINDING_KINDS } from '../audit/findings.ts';
import type { AuditWarning, Write } from '../audit/report.ts';
import { escapeForTerminal, safeJson } from '../terminal/escape.ts';
import { formatAmount, formatCount } from '../terminal/table.ts';
import { type Change, REPAIRS } from './changes.ts';

/** Why a repair ended early; branch on `code`. */
export interface RepairFailure {
  readonly code:
    | AuditFailure['code']
    | ('backup' | 'interrupted' | 'too_many_changes' | 'unaccepted_warning' | 'unconfirmed');
  readonly message: string;
}

/** The outcome of a repair, as `--json` prints it after the changes. */
export interface RepairSummary {
  /** False if `failure` ended it early. */
  complete: boolean;
  failure?: RepairFailure;
  warnings: readonly AuditWarning[];
  planned: number;
  done: number;
  skipped: number;
  /** The backup file; null if no document was changed. */
  backup: string | null;
}

export const newSummary = (): RepairSummary => ({
  complete: true,
  warnings: [],
  planned: 0,
  done: 0,
  skipped: 0,
  backup: null,
});

/** The outcome of a change. Without --apply, all changes stay `planned`. */
export type Outcome = 'planned' | 'done' | 'skipped';

export interface RepairReport {
  readonly plan: (changes: readonly Change[], warnings: readonly AuditWarning[]) => Promise<void>;
  /** @param reason why the document was not changed; undefined if it was */
  readonly made: (change: Change, reason: string | undefined) => Promise<void>;
  /** Prints a sentence about the whole repair, for people. */
  readonly remark: (text: string) => Promise<void>;
  /** @param rest the changes of the plan that were not made */
  readonly end: (summary: RepairSummary, rest: readonly Change[]) => Promise<void>;
}

/** Prints `{"changes": [...], "summary": {...}}`, with each change on a separate line. */
export function jsonReport(write: Write): RepairReport {
  let before = '{"changes":[\n';
  const put = async (change: Change, outcome: Outcome, reason?: string): Promise<void> => {
    const line = { ...change, change: REPAIRS[change.kind], outcome, ...(reason && { reason }) };
    await write(before + safeJson(line));
    before = ',\n';
  };
  return {
    plan: async () => undefined,
    made: (change, reason) => put(change, reason === undefined ? 'done' : 'skipped', reason),
    remark: async () => undefined,
    end: async (summary, rest) => {
      for (const change of rest) await put(change, 'planned');
      await write(`${before === ',\n' ? '' : before}\n],"summary":${safeJson(summary)}}\n`);
    },
  };
}

/** Prints a line for each planned change, and another for its outcome. */
export function textReport(write: Write): RepairReport {
  return {
    plan: async (changes, warnings) => {
      for (const { message } of warnings) await write(`WARNING: ${message}\n`);
      for (const change of changes) {
        await write(`${REPAIRS[change.kind].padEnd(7)}  ${lineOf(change)}\n`);
      }
      await write(changes.length === 0 ? 'There is nothing to repair.\n' : '\n');
    },
    made: (change, reason) =>
      write(`${reason === undefined ? 'done   ' : 'skipped'}  ${lineOf(change, reason)}\n`),
    remark: (text) => write(`${text}\n`),
    end: async () => undefined,
  };
}

function lineOf({ kind, document, onChainAddress, kept }: Change, reason?: string): string {
  const because = kept ? `${escapeForTerminal(kept)} is kept` : FINDING_KINDS[kind].meaning;
  return `${escapeForTerminal(document)}  ${onChainAddress}  ${kind}: ${reason ?? because}`;
}

/** Counts changes, as in "100 confirmations and 200 deletions". */
export function describeChanges(changes: readonly Change[]): string {
  const deletions = changes.filter(({ kind }) => REPAIRS[kind] === 'delete').length;
  const parts = [
    [changes.length - deletions, 'confirmation'],
    [deletions, 'deletion'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => formatAmount(count, word))
    .join(' and ');
}

/** A sentence about the progress of a repair. */
export const repairProgressText = (
  { done, planned, skipped }: RepairSummary,
  backup: string,
): string =>
  `Changed: ${formatCount(done)} of ${formatCount(planned)} documents, with a backup in ${backup}; ` +
  `skipped: ${formatCount(skipped)}.`;
