// Reports an audit: line by line for a person, or as one JSON document for a program.
// Both are written as the audit goes on, so that no list of findings is ever held.

import type { ChainFailureCode } from '../../chain/chainFailure.ts';
import { formatCount } from '../../terminal/table.ts';
import { FINDING_KINDS, type Finding, type Tally } from './findings.ts';

/** How an audit went, as `--json` prints it behind the findings. */
export interface AuditSummary {
  /** False when `failure` ended it early: then nothing is said about the rest of the documents. */
  readonly complete: boolean;
  readonly failure?: { readonly code: ChainFailureCode | 'mirror'; readonly message: string };
  readonly documents: number;
  /** The documents there were when the audit began. */
  readonly total: number;
  readonly findings: Tally;
  /** Requests to the chain, and how many of them were repetitions. */
  readonly requests: number;
  readonly repetitions: number;
  readonly seconds: number;
  readonly peakMemoryMiB: number;
}

export interface AuditReport {
  readonly finding: (finding: Finding) => Promise<void>;
  readonly end: (summary: AuditSummary) => Promise<void>;
}

/** Settles once the text is handed on, so that a slow reader slows the audit down. */
export type Write = (text: string) => Promise<void>;

/** `{"findings": [...], "summary": {...}}`, each finding on a line of its own. */
export function jsonReport(write: Write): AuditReport {
  let before = '{"findings":[\n';
  return {
    finding: async (finding) => {
      await write(before + JSON.stringify(finding));
      before = ',\n';
    },
    end: async (summary) => {
      const opening = before === ',\n' ? '' : before;
      await write(`${opening}\n],"summary":${JSON.stringify(summary)}}\n`);
    },
  };
}

/** A line for each finding, then how many there are of each kind. */
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
  // An id may hold line breaks and control characters, which a terminal would obey.
  const document = JSON.stringify(finding.document).slice(1, -1);
  const todo = `${circumstance(finding)}; ${FINDING_KINDS[kind].remedy}`;
  return `${kind.padEnd(KIND_WIDTH)}  ${document}  ${address}  ${todo}`;
}

function circumstance(finding: Finding): string {
  switch (finding.kind) {
    case 'address_mismatch':
      return `derives to ${finding.derivedAddress}`;
    case 'wrong_owner':
      return `owned by ${finding.owner}`;
    case 'unreadable':
      return finding.reason;
    case 'missing_on_chain':
    case 'ready_to_confirm':
      return FINDING_KINDS[finding.kind].meaning;
  }
}

function summaryLines(summary: AuditSummary): string[] {
  const rows = Object.entries(summary.findings).map(
    ([kind, count]) => `${kind.padEnd(KIND_WIDTH)}  ${formatCount(count).padStart(9)}`,
  );
  const extent = summary.complete
    ? `${formatCount(summary.documents)} documents`
    : `INCOMPLETE: only ${formatCount(summary.documents)} of ${formatCount(summary.total)} documents`;
  return [
    '',
    ...rows,
    '',
    `${extent} audited in ${summary.seconds} s, with ${formatCount(summary.requests)} requests to ` +
      `the chain (${formatCount(summary.repetitions)} repeated) and ${summary.peakMemoryMiB} MiB of memory at most.`,
  ];
}
