// The report of an audit: a line for each finding, then the summary with its warnings. Pure.

import { HOUR_MS } from '../../contract/endpoint.ts';
import type { Failure } from '../terminal/failure.ts';
import { escapeForTerminal, formatCount } from '../terminal/table.ts';
import { FINDING_KINDS, type Finding } from './findings.ts';

/** What was audited so far. */
export interface Audited {
  readonly documents: number;
  /** The number of documents when the audit began. */
  readonly total: number;
  /** The number of accounts of the program; null if they were not listed. */
  readonly accounts: number | null;
  /** The latest `syncedAt`, in milliseconds since the epoch; 0 if there is none. */
  readonly syncedMs: number;
  /** The number of findings of each kind. */
  readonly findings: Readonly<Record<string, number>>;
}

export const NOTHING_AUDITED: Audited = {
  documents: 0,
  total: 0,
  accounts: null,
  syncedMs: 0,
  findings: Object.fromEntries(Object.keys(FINDING_KINDS).map((kind) => [kind, 0])),
};

export const foundIn = ({ findings }: Audited): number =>
  Object.values(findings).reduce((sum, count) => sum + count, 0);

export interface ReportOptions {
  readonly wallet?: string;
  /** Whether to also find accounts without a document, if the node can list the program's accounts. */
  readonly bothWays?: boolean;
  /** The age of the newest document, in hours, above which the mirror is stale. */
  readonly maxSyncHours: number;
}

/**
 * @param failure why the audit ended early; undefined if it is complete
 * @returns the outcome of the audit, as `--json` prints it after the findings
 */
export function summarize(
  audited: Audited,
  options: ReportOptions,
  nowMs: number,
  failure?: Failure,
) {
  const { syncedMs, findings, ...counts } = audited;
  const hours = Number(((nowMs - syncedMs) / HOUR_MS).toFixed(1));
  const syncedHoursAgo = options.wallet || syncedMs === 0 ? null : hours;
  const shown: Record<string, number | null> =
    counts.accounts === null ? { ...findings, missing_in_mirror: null } : findings;
  const stale = !failure && syncedHoursAgo !== null && syncedHoursAgo > options.maxSyncHours;
  return {
    /** Distinguishes the summary from findings, and from other lines of a log. */
    message: 'audit',
    /** False if `failure` ended the audit early, so that the other documents were not audited. */
    complete: failure === undefined,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    warnings: failure ? [] : warningsOf(audited, options, stale),
    ...counts,
    /** The number of findings of each kind; null for one that was not looked for. */
    findings: shown,
    /** The number of all findings. */
    found: foundIn(audited),
    /** The age of the newest `syncedAt` in hours; null for one wallet, or without such a document. */
    syncedHoursAgo,
    /** Whether that age is above the limit. */
    stale,
  };
}

/** If more than this share of the documents have the same finding, they usually share one cause. */
const WARNING_SHARE = 0.2;
/** If there are no more documents than this, no warning is given. */
const FEW_DOCUMENTS = 20;

/** One entry of `warnings`: a stable code, for `many_of_one_kind` the kind, and a sentence that says what to check. */
interface AuditWarning {
  readonly code: 'many_of_one_kind' | 'not_listed' | 'stale_mirror';
  readonly finding?: string;
  readonly message: string;
}

function warningsOf(
  { documents, accounts, findings }: Audited,
  { bothWays = false, maxSyncHours }: ReportOptions,
  stale: boolean,
): AuditWarning[] {
  const warnings: AuditWarning[] = [];
  if (bothWays && accounts === null) {
    const message =
      "The node did not list the program's accounts, so accounts without a document were not searched for.";
    warnings.push({ code: 'not_listed', message });
  }
  if (stale) {
    const message = `No document was synced in the last ${maxSyncHours} hours: check that the mirror writer runs.`;
    warnings.push({ code: 'stale_mirror', message });
  }
  for (const [finding, whatToCheck] of Object.entries(FINDING_KINDS)) {
    const [whole, unit] =
      finding === 'missing_in_mirror' ? [accounts ?? 0, 'accounts'] : [documents, 'documents'];
    const found = findings[finding] ?? 0;
    if (whole <= FEW_DOCUMENTS || found / whole <= WARNING_SHARE) continue;
    const share = `${finding} for ${formatCount(found)} of ${formatCount(whole)} ${unit}`;
    warnings.push({ code: 'many_of_one_kind', finding, message: `${share}: ${whatToCheck}.` });
  }
  return warnings;
}

/** The width of the column of the kinds. */
const KIND_WIDTH = Math.max(...Object.keys(FINDING_KINDS).map((kind) => kind.length));

/** The line of the text report. */
export const findingLine = ({ kind, document = '-', onChainAddress = '-', reason }: Finding) =>
  [kind.padEnd(KIND_WIDTH), document, onChainAddress, reason].map(escapeForTerminal).join('  ');

/** The end of the text report. */
export function summaryText(
  summary: ReturnType<typeof summarize> & { seconds: number; peakMemoryMiB: number },
): string {
  // A column of zeros would look like good news.
  if (summary.documents === 0) return 'Nothing was audited.';
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
    `${audited} audited in ${summary.seconds} s, with at most ${summary.peakMemoryMiB} MiB of memory.`,
    ...(summary.syncedHoursAgo === null
      ? []
      : [`The newest document was synced ${summary.syncedHoursAgo} hours ago.`]),
    ...(summary.found > 0 ? ['docs/runbook.md says what to do about each finding.'] : []),
    ...summary.warnings.map(({ message }) => `WARNING: ${message}`),
  ].join('\n');
}
