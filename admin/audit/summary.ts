// The summary of an audit, and its warnings that the whole audit may be wrong. Pure.

import { formatCount } from '../terminal/table.ts';
import type { AuditState } from './audit.ts';
import { FINDING_KINDS } from './findings.ts';
import { KIND_WIDTH } from './report.ts';

/** One entry of `summary.warnings`. */
export interface AuditWarning {
  /** A stable code to branch on. */
  readonly code: 'many_of_one_kind' | 'no_documents' | 'not_listed' | 'stale_mirror';
  /** For `many_of_one_kind`, the kind of the findings. */
  readonly finding?: string;
  /** For people: the finding, and what to check. */
  readonly message: string;
}

/** The outcome of an audit, as `--json` prints it after the findings. */
export interface AuditSummary extends Readonly<Omit<AuditState, 'syncedMs'>> {
  /** False if `failure` ended the audit early, so that the other documents were not audited. */
  readonly complete: boolean;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly warnings: readonly AuditWarning[];
  /** The number of all findings. */
  readonly found: number;
  /** The age of the newest `syncedAt` in hours; null for one wallet, or without such a document. */
  readonly syncedHoursAgo: number | null;
  /** Whether that age is above the limit. */
  readonly stale: boolean;
  readonly seconds: number;
  readonly peakMemoryMiB: number;
}

/** If more than this share of the documents have the same finding, they usually share one cause. */
const WARNING_SHARE = 0.2;
/** If there are no more documents than this, no warning is given. */
const FEW_DOCUMENTS = 20;

export function warningsOf(
  state: AuditState,
  { tryBothWays = false, stale = false, maxSyncHours = 0 } = {},
): AuditWarning[] {
  const many = Object.entries(FINDING_KINDS).flatMap(([finding, { whatToCheck }]) => {
    const ofAccounts = finding === 'missing_in_mirror';
    const whole = ofAccounts ? (state.accounts ?? 0) : state.documents;
    const found = state.findings[finding] ?? 0;
    if (whole <= FEW_DOCUMENTS || found / whole <= WARNING_SHARE) return [];
    const unit = ofAccounts ? 'accounts' : 'documents';
    const share = `${finding} for ${formatCount(found)} of ${formatCount(whole)} ${unit}`;
    return [{ code: 'many_of_one_kind', finding, message: `${share}: ${whatToCheck}.` } as const];
  });
  const others = [
    [state.documents === 0, 'no_documents', 'No document was audited.'],
    [
      tryBothWays && state.accounts === null,
      'not_listed',
      "The node did not list the program's accounts, so accounts without a document were not searched for.",
    ],
    [
      stale,
      'stale_mirror',
      `No document was synced in the last ${maxSyncHours} hours: check that the mirror writer runs.`,
    ],
  ] as const;
  return [...others.flatMap(([is, code, message]) => (is ? [{ code, message }] : [])), ...many];
}

/** The end of the text report. */
export function summaryText(summary: AuditSummary): string {
  // A column of zeros would look like good news.
  if (!summary.complete && summary.documents === 0) return 'Nothing was audited.';
  const rows = Object.entries(summary.findings).map(([kind, count]) => {
    const shown = count === null ? 'not checked (add --both-ways)' : formatCount(count).padStart(9);
    return `${kind.padEnd(KIND_WIDTH)}  ${shown}`;
  });
  const audited = summary.complete
    ? `${formatCount(summary.documents)} documents`
    : `INCOMPLETE: only ${formatCount(summary.documents)} of ${formatCount(summary.total)} documents`;
  return [
    '',
    ...rows,
    '',
    `${audited} audited in ${summary.seconds} s, with ${formatCount(summary.requests)} requests to ` +
      `the chain (${formatCount(summary.repetitions)} repeated) and at most ${summary.peakMemoryMiB} MiB of memory.`,
    ...(summary.syncedHoursAgo === null
      ? []
      : [`The newest document was synced ${summary.syncedHoursAgo} hours ago.`]),
    ...summary.warnings.map(({ message }) => `WARNING: ${message}`),
  ].join('\n');
}
