// Runs an audit from a terminal or as a scheduled job, and reports it with its warnings and its exit status. The report
// is lines of text or of JSON, printed while the command runs, so findings are not kept in memory.

import { failureOf } from '../frame/google.ts';
import { print } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { escapeForTerminal, formatCount, safeJson } from '../terminal/table.ts';
import {
  type AuditScope,
  type AuditState,
  auditMirror,
  auditProgressText,
  newState,
} from './audit.ts';
import { AUDIT_STATUS, FINDING_KINDS, type Finding, sumOf } from './findings.ts';

export interface AuditOptions extends AuditScope {
  readonly json?: boolean;
  /** The age of the newest document that causes a warning. */
  readonly maxSyncHours: number;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * Audits the mirror. The report goes to standard output, the progress to standard error.
 *
 * @returns the exit status
 * @throws Failure after the end of the report, when the chain or the mirror could not be read
 */
export async function runAudit({ db }: Target, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const state = newState();
  let failure: Failure | undefined;
  try {
    for await (const findings of auditMirror(db, options, state)) {
      for (const finding of findings) {
        await print(`${options.json ? safeJson(finding) : findingLine(finding)}\n`);
      }
    }
  } catch (error) {
    failure = endOf(error, auditProgressText(state));
  }
  const { syncedMs, ...counts } = state;
  const syncedHoursAgo =
    options.wallet || !syncedMs
      ? null
      : Number(((options.nowMs() - syncedMs) / HOUR_MS).toFixed(1));
  const stale = !failure && syncedHoursAgo !== null && syncedHoursAgo > options.maxSyncHours;
  const summary: AuditSummary = {
    complete: failure === undefined,
    ...(failure && { failure: { code: failure.code ?? 'mirror', message: failure.message } }),
    warnings: failure ? [] : warningsOf(state, { ...options, stale }),
    ...counts,
    found: sumOf(state.findings),
    syncedHoursAgo,
    stale,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  await print(
    `${options.json ? safeJson({ message: 'audit', ...summary }) : summaryText(summary)}\n`,
  );
  if (failure) throw failure;
  const notListed = options.bothWays && state.accounts === null;
  const isClean = summary.found === 0 && !stale && !notListed;
  return isClean ? AUDIT_STATUS.noFindings : AUDIT_STATUS.findings;
}

/**
 * Describes what ended an audit, with a code that docs/audit.md explains.
 *
 * @param progressText a sentence about the progress so far
 */
function endOf(cause: unknown, progressText: string): Failure {
  const isFailure = cause instanceof Failure;
  const { message, code, exitStatus } = isFailure ? cause : failureOf(cause);
  // A closed output has no message.
  const what = message ? message.replace(/\.?$/, '.') : 'Standard output was closed.';
  const where = isFailure ? '' : 'Firestore could not be read. ';
  return new Failure(`${where}${what} ${progressText}`.trimEnd(), {
    cause,
    code: (isFailure && code) || 'mirror',
    ...(exitStatus !== undefined && { exitStatus }),
  });
}

/** The width of the column of the kinds. */
const KIND_WIDTH = Math.max(...Object.keys(FINDING_KINDS).map((kind) => kind.length));

function findingLine(finding: Finding): string {
  const { kind } = finding;
  const address = kind === 'unreadable' ? '-' : finding.onChainAddress;
  const document = kind === 'missing_in_mirror' ? '-' : escapeForTerminal(finding.document);
  const todo = `${detailOf(finding)}; ${FINDING_KINDS[kind].remedy}`;
  return `${kind.padEnd(KIND_WIDTH)}  ${document}  ${address}  ${todo}`;
}

function detailOf(finding: Finding): string {
  if ('reason' in finding) return finding.reason;
  if ('derivedAddress' in finding) return `derives to ${finding.derivedAddress}`;
  if ('owner' in finding) return `owned by ${finding.owner}`;
  if ('others' in finding) return `also in ${finding.others.map(escapeForTerminal).join(', ')}`;
  return FINDING_KINDS[finding.kind].meaning;
}

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
interface AuditSummary extends Readonly<Omit<AuditState, 'syncedMs'>> {
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
  { bothWays = false, stale = false, maxSyncHours = 0 } = {},
): AuditWarning[] {
  const warnings: AuditWarning[] = [];
  if (state.documents === 0) {
    warnings.push({ code: 'no_documents', message: 'No document was audited.' });
  }
  if (bothWays && state.accounts === null) {
    const message =
      "The node did not list the program's accounts, so accounts without a document were not searched for.";
    warnings.push({ code: 'not_listed', message });
  }
  if (stale) {
    const message = `No document was synced in the last ${maxSyncHours} hours: check that the mirror writer runs.`;
    warnings.push({ code: 'stale_mirror', message });
  }
  for (const [finding, { whatToCheck }] of Object.entries(FINDING_KINDS)) {
    const [whole = 0, unit] =
      finding === 'missing_in_mirror'
        ? [state.accounts ?? 0, 'accounts']
        : [state.documents, 'documents'];
    const found = state.findings[finding] ?? 0;
    if (whole <= FEW_DOCUMENTS || found / whole <= WARNING_SHARE) continue;
    const share = `${finding} for ${formatCount(found)} of ${formatCount(whole)} ${unit}`;
    warnings.push({ code: 'many_of_one_kind', finding, message: `${share}: ${whatToCheck}.` });
  }
  return warnings;
}

/** The end of the text report. */
function summaryText(summary: AuditSummary): string {
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
