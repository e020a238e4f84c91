// Reports an audit as lines of text or as one JSON document.
// Both are written as the audit proceeds, so findings are not kept in memory.

import { escapeForTerminal, safeJson } from '../terminal/escape.ts';
import { formatCount } from '../terminal/table.ts';
import type { AuditState } from './auditMirror.ts';
import type { AuditFailure } from './failures.ts';
import { FINDING_KINDS, type Finding } from './findings.ts';

/** One entry of `summary.warnings`. */
export interface AuditWarning {
  /** A stable code to branch on. */
  readonly code: 'many_of_one_kind' | 'no_documents';
  /** For `many_of_one_kind`, the kind of the findings. */
  readonly finding?: string;
  /** For people: the finding, and what to check. */
  readonly message: string;
}

/** If more than this share of the documents have the same finding, they usually share one cause. */
const WARNING_SHARE = 0.2;
/** If there are no more documents than this, no warning is given. */
const FEW_DOCUMENTS = 20;

export function warningsOf(state: AuditState): AuditWarning[] {
  const counts = new Map(Object.entries(state.findings));
  const many = Object.entries(FINDING_KINDS).flatMap(([finding, { whatToCheck }]) => {
    const ofAccounts = finding === 'missing_in_mirror';
    const whole = ofAccounts ? (state.accounts ?? 0) : state.documents;
    const found = counts.get(finding) ?? 0;
    if (whole <= FEW_DOCUMENTS || found / whole <= WARNING_SHARE) return [];
    const unit = ofAccounts ? 'accounts' : 'documents';
    const share = `${finding} for ${formatCount(found)} of ${formatCount(whole)} ${unit}`;
    return [{ code: 'many_of_one_kind', finding, message: `${share}: ${whatToCheck}.` } as const];
  });
  if (state.documents > 0) return many;
  return [{ code: 'no_documents', message: 'No document was audited.' }, ...many];
}

/** The outcome of an audit, as `--json` prints it after the findings. */
export interface AuditSummary extends Readonly<AuditState> {
  /** False if `failure` ended the audit early, so that the other documents were not audited. */
  readonly complete: boolean;
  readonly failure?: AuditFailure;
  readonly warnings: readonly AuditWarning[];
  readonly seconds: number;
  readonly peakMemoryMiB: number;
}

export interface AuditReport {
  readonly finding: (finding: Finding) => Promise<void>;
  readonly end: (summary: AuditSummary) => Promise<void>;
}

/** Resolves once the text is written, so that a slow reader slows the audit down. */
export type Write = (text: string) => Promise<void>;

/** Prints `{"findings": [...], "summary": {...}}`, with each finding on a separate line. */
export function jsonReport(write: Write): AuditReport {
  let before = '{"findings":[\n';
  return {
    finding: async (finding) => {
      await write(before + safeJson(finding));
      before = ',\n';
    },
    end: async (summary) => {
      const opening = before === ',\n' ? '' : before;
      await write(`${opening}\n],"summary":${safeJson(summary)}}\n`);
    },
  };
}

/** Prints a line for each finding, then the number of each kind. */
export function textReport(write: Write): AuditReport {
  return {
    finding: (finding) => write(`${findingLine(finding)}\n`),
    end: (summary) => write(`${summaryLines(summary).join('\n')}\n`),
  };
}

const KIND_WIDTH = Math.max(...Object.keys(FINDING_KINDS).map((kind) => kind.length));

function findingLine(finding: Finding): string {
  const { kind } = finding;
  const address = kind === 'unreadable' ? '-' : finding.onChainAddress;
  const document = kind === 'missing_in_mirror' ? '-' : escapeForTerminal(finding.document);
  const todo = `${detailOf(finding)}; ${FINDING_KINDS[kind].remedy}`;
  return `${kind.padEnd(KIND_WIDTH)}  ${document}  ${address}  ${todo}`;
}

function detailOf(finding: Finding): string {
  switch (finding.kind) {
    case 'address_mismatch':
      return `derives to ${finding.derivedAddress}`;
    case 'wrong_owner':
      return `owned by ${finding.owner}`;
    case 'implausible_time':
    case 'unreadable':
    case 'missing_in_mirror':
      return finding.reason;
    case 'duplicate':
      return `also in ${finding.others.map(escapeForTerminal).join(', ')}`;
    case 'missing_on_chain':
    case 'no_data':
    case 'ready_to_confirm':
    case 'pending_too_long':
      return FINDING_KINDS[finding.kind].meaning;
  }
}

function summaryLines(summary: AuditSummary): string[] {
  // A column of zeros would look like good news.
  if (!summary.complete && summary.documents === 0) return ['Nothing was audited.'];
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
    ...summary.warnings.map(({ message }) => `WARNING: ${message}`),
  ];
}
